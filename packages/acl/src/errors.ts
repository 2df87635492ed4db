/**
 * What can be wrong with an access list, a set of lists or a change of one. The services map codes to statuses:
 *
 * | code | meaning | catalog | object store |
 * |---|---|---|---|
 * | `bad_list` | not an array of usable role names | 400 | 400 |
 * | `bad_set` | a set of lists that is not a JSON object | 400 | 400 |
 * | `unsupported_name` | the list does not exist on this kind of element | PUT 409, GET and DELETE 404 | 404 (in a header 400) |
 * | `wildcard_not_allowed` | `*` in a list that may not hold it | 400 | - |
 * | `would_orphan` | nobody would own the resource | - | 400 |
 * | `no_owner_known` | an anonymous client would become the owner | - | 401 |
 * | `not_in_list` | the entry to remove is not there | - | 404 |
 * | `bad_role` | a role or client id that no list could hold | - | - |
 */
export type AclErrorCode =
  | 'bad_list'
  | 'bad_set'
  | 'unsupported_name'
  | 'wildcard_not_allowed'
  | 'would_orphan'
  | 'no_owner_known'
  | 'not_in_list'
  | 'bad_role';

export class AclError extends Error {
  readonly code: AclErrorCode;
  /** JSON pointer (RFC 6901) to the culprit in the document that was read; empty for the whole of it. */
  readonly pointer: string;

  constructor(code: AclErrorCode, pointer: string, message: string) {
    super(message);
    this.name = 'AclError';
    this.code = code;
    this.pointer = pointer;
  }
}

/** One step of a JSON pointer. */
export function pointerStep(name: string | number): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
