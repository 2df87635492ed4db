import { grants } from '@holdfast/acl';
import { AppError, mediaTypeOf, readBody, sendBody, sendContinue } from '@holdfast/http-kit';
import type { StoredContent } from '../blobs/blob-store.js';
import type { NewContent } from '../directory/insert-version.js';
import { type AcceptedPut, commitPut, inspectPut, type PutOutcome, type PutRequest } from '../directory/put-name.js';
import { refuseBeyondQuotas } from '../directory/quotas.js';
import { newVersionKey } from '../naming/blob-key.js';
import { type CanonicalPath, shownPath, shownVersion } from '../naming/canonical-path.js';
import { receiveContent } from '../transfer/receive-content.js';
import { requestBytes } from '../transfer/request-bytes.js';
import { admitChange } from './admit-change.js';
import { type ContentHeaders, contentHeaders, headerText, refuseOtherContent } from './content-headers.js';
import { conditionsIn, type Exchange } from './exchange.js';
import { warnOfPublicOwner } from './public-owner.js';

/** PUT of a name: a namespace, or an object with new content (spec/objectstore.md 5.2, 6.2). */
export async function putName(exchange: Exchange, path: CanonicalPath): Promise<void> {
  const { request, parts, caller, signal } = exchange;
  admitChange(exchange, 'create');
  const headers = contentHeaders(request);
  const put: PutRequest = {
    path,
    intent: {
      kind: isNamespaceType(exchange) ? 'namespace' : 'object',
      parents: exchange.parents,
      onObject: 'add-version',
      revive: parts.settings.restoreDeleted,
    },
    caller,
    conditions: conditionsIn(exchange),
    initialAcls: initialAcls(exchange),
  };
  const accepted = await parts.database.withConnection(signal, (connection) => inspectPut(connection, put));
  const outcome = makesNamespace(accepted)
    ? await putNamespace(exchange, put)
    : await putContent(exchange, put, headers, accepted.kind !== 'update');
  if (accepted.given !== undefined) warnOfPublicOwner(exchange, 'owner', accepted.given.owner ?? []);
  sendCreated(exchange, path, outcome);
}

function makesNamespace(accepted: AcceptedPut): boolean {
  switch (accepted.kind) {
    case 'create':
      return accepted.make === 'namespace';
    case 'revive':
      return accepted.deleted.kind === 'namespace';
    case 'update':
      return false;
  }
}

/** The body of a namespace means nothing: it is read and forgotten. */
async function putNamespace(exchange: Exchange, put: PutRequest): Promise<PutOutcome> {
  await readBody(exchange.request, exchange.parts.settings.maxJsonBytes);
  return commitPut(exchange.parts.database, put, null, exchange.parts.settings.quotas, exchange.signal);
}

async function putContent(
  exchange: Exchange,
  put: PutRequest,
  headers: ContentHeaders,
  newObject: boolean,
): Promise<PutOutcome> {
  const { request, response, parts, signal } = exchange;
  const bytes = acceptedLength(exchange);
  await refuseBeyond(exchange, put.path, { bytes: bytes ?? 0, objects: newObject ? 1 : 0 });
  response.setTimeout(parts.settings.stallSeconds * 1000);
  sendContinue(request);
  let declared = { md5: false, sha256: false };
  const source = {
    bytes: requestBytes(request, bytes ?? parts.settings.maxObjectBytes),
    expectedBytes: bytes,
    // the store does not get the last of a body that is damaged
    verify: (content: StoredContent) => {
      declared = refuseOtherContent(request, headers.hashes, content);
    },
  };
  return receiveContent(parts, newVersionKey(new Date()), source, signal, (blob, stored) => {
    const content: NewContent = {
      blob,
      ...stored,
      md5Declared: declared.md5,
      sha256Declared: declared.sha256,
      contentType: headers.contentType,
      disposition: headers.disposition,
    };
    return commitPut(parts.database, put, content, parts.settings.quotas, signal);
  });
}

/** Quotas are judged before the body when its length is known, and again at the commit (15). */
async function refuseBeyond(
  { parts, signal }: Exchange,
  path: CanonicalPath,
  more: { readonly bytes: number; readonly objects: number },
): Promise<void> {
  const { quotas } = parts.settings;
  if (quotas.size === 0) return;
  await parts.database.withConnection(signal, (connection) => refuseBeyondQuotas(connection, quotas, path, more));
}

/**
 * The announced length, null for a client that may send content of unknown length (spec/objectstore.md 6.2).
 * @throws {AppError} `length_required`, `too_large`
 */
function acceptedLength({ request, parts, caller }: Exchange): number | null {
  const { settings } = parts;
  const header = request.get('content-length');
  if (header === undefined) {
    // another transfer coding would have to be taken off first
    if (
      request.get('transfer-encoding')?.toLowerCase() === 'chunked' &&
      grants(settings.unknownLengthRoles, caller.roles)
    )
      return null;
    throw new AppError('length_required', 'Send the content with Content-Length.');
  }
  const length = Number(header);
  if (length > settings.maxRequestBytes)
    throw new AppError('too_large', `The content of one request may have ${settings.maxRequestBytes} bytes at most.`);
  return length;
}

function isNamespaceType({ request, parts }: Exchange): boolean {
  const type = mediaTypeOf(request.get('content-type'));
  return type !== null && parts.settings.namespaceMediaTypes.some((known) => known.toLowerCase() === type);
}

function initialAcls({ request, parts }: Exchange): unknown {
  const { initialAclHeader: name } = parts.settings;
  const text = name === null ? null : headerText(request, name);
  if (name === null || text === null) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch (error) {
    throw new AppError('bad_json', `${name} must be a JSON object of access lists.`, { cause: error });
  }
}

function sendCreated(exchange: Exchange, path: CanonicalPath, outcome: PutOutcome): void {
  const { request, response, prefix } = exchange;
  const location = outcome.kind === 'namespace' ? shownPath(prefix, path) : shownVersion(prefix, path, outcome.version);
  response.setHeader('Location', location);
  if (outcome.kind === 'version') response.setHeader('ETag', `"${outcome.version}"`);
  sendBody(request, response, 201, 'text/uri-list', `${location}\n`);
}
