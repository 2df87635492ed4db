import { AppError, mediaTypeOf, sendEmpty } from '@holdfast/http-kit';
import { clearMetadata, inspectMetadata, type MetadataRequest, setMetadata } from '../directory/change-metadata.js';
import { metadataFieldTag, metadataText } from '../directory/metadata.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import { type MetadataField, parseField, parseMetadataValue } from '../naming/content-metadata.js';
import { admitChange } from './admit-change.js';
import { conditionsIn, type Exchange } from './exchange.js';
import { findReadable } from './find-readable.js';
import { answeredByPreconditions, refuseRange } from './read-answer.js';
import { readText } from './read-text.js';
import { sendValue } from './send-value.js';

/** `;metadata/<field>`: one field of a version (spec/objectstore.md 7). */
export async function handleMetadataField(
  exchange: Exchange,
  path: CanonicalPath,
  version: string | null,
  fieldName: string,
): Promise<void> {
  if (exchange.method === 'GET' || exchange.method === 'HEAD') return getField(exchange, path, version, fieldName);
  const { parts, caller } = exchange;
  admitChange(exchange, 'manage_metadata');
  const change: MetadataRequest = {
    path,
    version,
    field: parseField(fieldName),
    caller,
    conditions: conditionsIn(exchange),
    exposure: parts.profile.exposeComputedHashes,
    checksumDelete: parts.profile.checksumDelete,
  };
  if (exchange.method === 'PUT') await putField(exchange, change);
  else await clearMetadata(parts.database, change, exchange.signal);
  sendEmpty(exchange.response, 204);
}

async function getField(
  exchange: Exchange,
  path: CanonicalPath,
  version: string | null,
  fieldName: string,
): Promise<void> {
  const field: MetadataField = parseField(fieldName);
  const found = await findReadable(exchange, path, version);
  const text = metadataText(found, field, exchange.parts.profile.exposeComputedHashes);
  if (text === null) throw new AppError('not_found', `The field ${field} is not set.`);
  if (answeredByPreconditions(exchange, metadataFieldTag(text), 'fixed')) return;
  refuseRange(exchange);
  sendValue(exchange, text);
}

async function putField(exchange: Exchange, change: MetadataRequest): Promise<void> {
  const { request, parts, signal } = exchange;
  if (mediaTypeOf(request.get('content-type')) !== 'text/plain')
    throw new AppError('bad_request', 'Send the value with Content-Type: text/plain.');
  await parts.database.withConnection(signal, (connection) => inspectMetadata(connection, change));
  const text = (await readText(request, parts.settings.maxJsonBytes)).trim();
  if (text === '' || /[\r\n]/.test(text)) throw new AppError('bad_request', 'The value must be one line of text.');
  await setMetadata(parts.database, change, parseMetadataValue(change.field, text), signal);
}
