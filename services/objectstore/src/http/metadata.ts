import { sendJson } from '@holdfast/http-kit';
import { metadataDocument, metadataTag } from '../directory/metadata.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import type { Exchange } from './exchange.js';
import { findReadable } from './find-readable.js';
import { answeredByPreconditions, refuseRange } from './read-answer.js';

/** `;metadata`: the fields of a version that are set (spec/objectstore.md 7.2). */
export async function handleMetadata(exchange: Exchange, path: CanonicalPath, version: string | null): Promise<void> {
  const found = await findReadable(exchange, path, version);
  const document = metadataDocument(found, exchange.parts.profile.exposeComputedHashes);
  if (answeredByPreconditions(exchange, metadataTag(document), 'fixed')) return;
  refuseRange(exchange);
  sendJson(exchange.request, exchange.response, 200, document);
}
