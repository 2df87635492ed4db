/**
 * Every error a service can answer with, in one table. The code is stable: clients may match on it, and
 * docs/errors.md lists the same rows (a test compares the two).
 */
export const errorCodes = {
  // 400: wrong by inspection of the request alone
  bad_request: { status: 400, meaning: 'the request is malformed' },
  bad_name: { status: 400, meaning: 'a name in the URL or a document is not acceptable' },
  bad_json: { status: 400, meaning: 'the body is not the JSON document asked for' },
  bad_value: { status: 400, meaning: 'a value cannot be converted to the type of its column' },
  bad_syntax: { status: 400, meaning: 'the URL does not follow the grammar of the resource' },
  bad_snapshot: { status: 400, meaning: 'a snapshot identifier cannot be decoded' },
  bad_input: { status: 400, meaning: 'the rows sent are malformed' },
  bad_acl: { status: 400, meaning: 'an access list or binding is malformed' },
  bad_range: { status: 400, meaning: 'a history range is malformed' },
  bad_hash: { status: 400, meaning: 'a hash is neither base64 nor hexadecimal of the right length' },
  bad_disposition: { status: 400, meaning: "Content-Disposition is not of the form filename*=UTF-8''name" },
  bad_path: { status: 400, meaning: 'an output path is unsafe or collides with another' },
  bad_variable: { status: 400, meaning: 'an interpolation variable is unknown or malformed' },
  duplicate_input: { status: 400, meaning: 'two input rows have the same key' },
  hash_mismatch_body: {
    status: 400,
    meaning: 'the content received has another hash than announced; on the wire hash_mismatch',
    wire: 'hash_mismatch',
  },
  host_not_allowed: { status: 400, meaning: 'the host is not one this deployment may query' },
  query_too_expensive: { status: 400, meaning: 'the query ran longer than the deployment allows' },
  unknown_field: { status: 400, meaning: 'there is no such field' },
  would_orphan: { status: 400, meaning: 'the change would leave a resource without an owner' },
  empty_bag: { status: 400, meaning: 'the bag would have no payload' },
  no_common_hash: { status: 400, meaning: 'the references of the bag share no hash algorithm' },
  too_large_output: { status: 400, meaning: 'the export passes the configured size or file count' },
  upstream_refused: { status: 400, meaning: 'the catalog or object store refused a query of the export' },
  // 401, 403
  auth_required: { status: 401, meaning: 'the request needs credentials' },
  invalid_token: { status: 401, meaning: 'the credential presented is not valid' },
  login_failed: { status: 401, meaning: 'user name or password is wrong' },
  forbidden: { status: 403, meaning: 'the client lacks the right' },
  cross_site: { status: 403, meaning: 'a cookie request came from another site' },
  // 404, 405
  not_found: { status: 404, meaning: 'there is no such resource' },
  no_session: { status: 404, meaning: 'there is no session' },
  method_not_allowed: { status: 405, meaning: 'the resource does not know the method' },
  // 409: depends on model or data
  conflict: { status: 409, meaning: 'the request conflicts with the present state' },
  name_in_use: { status: 409, meaning: 'the name is taken' },
  name_deleted: { status: 409, meaning: 'the name was deleted and cannot be used again' },
  unknown_element: { status: 409, meaning: 'a schema, table, column or link does not exist in the model' },
  ambiguous_name: { status: 409, meaning: 'a name stands for more than one element' },
  not_supported_on_type: { status: 409, meaning: 'the operation is not defined on the type' },
  not_writable: { status: 409, meaning: 'the table cannot be changed through the service' },
  constraint_violation: { status: 409, meaning: 'the data violate a constraint of the model' },
  unmatched_row: { status: 409, meaning: 'an input row matches no stored row' },
  in_use: { status: 409, meaning: 'something else depends on the element' },
  already_logged_in: { status: 409, meaning: 'there is a session already' },
  parent_not_namespace: { status: 409, meaning: 'the parent of the name is an object' },
  namespace_not_empty: { status: 409, meaning: 'the namespace has children' },
  no_current_version: { status: 409, meaning: 'the object has no version' },
  write_once: { status: 409, meaning: 'the value may be set only once' },
  renamed_target_gone: { status: 409, meaning: 'the object was renamed and the new name was deleted' },
  chunk_out_of_range: { status: 409, meaning: 'the job has no chunk of this number' },
  chunk_length: { status: 409, meaning: 'the chunk has another length than the job says' },
  chunks_missing: { status: 409, meaning: 'chunks of the upload are missing' },
  hash_mismatch: { status: 409, meaning: 'the content has another hash than declared' },
  job_busy: { status: 409, meaning: 'the job is being finished' },
  quota_exceeded: { status: 409, meaning: 'a quota would be passed' },
  cancelled: { status: 409, meaning: 'the job was cancelled' },
  prior_revision: { status: 409, meaning: 'the snapshot asked for is older than all history' },
  // others of the 4xx
  length_required: { status: 411, meaning: 'the request needs Content-Length' },
  precondition_failed: { status: 412, meaning: 'If-Match or If-None-Match does not hold' },
  too_large: { status: 413, meaning: 'the body is larger than allowed' },
  uri_too_long: { status: 414, meaning: 'the request target is longer than allowed' },
  bad_media_type: { status: 415, meaning: 'the media type of the body is not supported' },
  bad_encoding: { status: 415, meaning: 'content codings of requests are not supported' },
  range_not_satisfiable: { status: 416, meaning: 'the range lies outside the content' },
  too_many: { status: 429, meaning: 'too many requests or jobs of this client' },
  // 5xx
  internal: { status: 500, meaning: 'a defect of the service; the request id finds it in the log' },
  scratch_full: { status: 500, meaning: 'the scratch space of the worker is used up' },
  range_not_supported: { status: 501, meaning: 'the resource does not support ranges' },
  upstream_failed: { status: 502, meaning: 'another service failed or broke the transfer' },
  unavailable: { status: 503, meaning: 'a part the service needs is away; try again' },
  storage_unavailable: { status: 503, meaning: 'the blob store cannot be reached; try again' },
  upstream_stalled: { status: 504, meaning: 'no progress within the time allowed' },
} as const satisfies Record<string, ErrorKind>;

interface ErrorKind {
  readonly status: number;
  readonly meaning: string;
  /** The code clients see, where two kinds share it. */
  readonly wire?: string;
}

/** The code of an error as clients see it. */
export function wireCode(code: ErrorCode): string {
  const kind: ErrorKind = errorCodes[code];
  return kind.wire ?? code;
}

/** Name of an error of the closed set. */
export type ErrorCode = keyof typeof errorCodes;
