import { AppError, type Spool, spool } from '@holdfast/http-kit';
import type { Connection } from '@holdfast/pg-kit';
import { authorize } from '../authorize/rights.js';
import { type BulkPosition, type BulkRequest, bulkLines, endOfBulkPage } from '../directory/bulk-listing.js';
import { findDefined } from '../directory/find-place.js';
import { listsAt } from '../directory/lists-at.js';
import { type CanonicalPath, encodeSegment, shownPath } from '../naming/canonical-path.js';
import { parseName } from '../naming/parse-target.js';
import { sendStream } from '../transfer/send-content.js';
import type { Exchange } from './exchange.js';
import { refuseRange } from './read-answer.js';

/** `;bulk/names`, `;bulk/versions`: everything beneath a namespace, a line each (spec/objectstore.md 11). */
export async function handleBulk(exchange: Exchange, path: CanonicalPath, of: 'names' | 'versions'): Promise<void> {
  const { parts, signal } = exchange;
  if (!parts.settings.bulkListings) throw new AppError('not_found', 'This service offers no bulk listings.');
  const asked = bulkParameters(exchange, of);
  const snapshot = { isolation: 'repeatable read', readOnly: true, signal } as const;
  const page = await parts.database.transaction(snapshot, async (connection) => {
    const place = await findDefined(connection, path);
    if (place.target.kind !== 'namespace') throw new AppError('not_found', 'An object has no bulk listings.');
    authorize('list-namespace', listsAt(place), exchange.caller);
    refuseRange(exchange);
    return hold(exchange, connection, { ...asked, namespace: place.target, caller: exchange.caller });
  });
  await send(exchange, page);
}

const MOST_LINES = 10_000;
const USUAL_LINES = 1000;

/** Parameters of the URL; those that no listing knows mean nothing. */
function bulkParameters(exchange: Exchange, of: 'names' | 'versions'): Omit<BulkRequest, 'namespace' | 'caller'> {
  const { parameters } = exchange;
  const limit = parameters.get('limit') ?? String(USUAL_LINES);
  if (!/^\d{1,5}$/.test(limit) || Number(limit) < 1 || Number(limit) > MOST_LINES)
    throw new AppError('bad_request', `limit must be a number from 1 to ${MOST_LINES}.`);
  const recursive = parameters.get('recursive') ?? 'false';
  if (recursive !== 'true' && recursive !== 'false')
    throw new AppError('bad_request', 'recursive must be true or false.');
  const kind = of === 'names' ? parameters.get('kind') : null;
  if (kind !== null && kind !== 'namespace' && kind !== 'object')
    throw new AppError('bad_request', 'kind must be namespace or object.');
  const after = parameters.get('after');
  return {
    of,
    recursive: recursive === 'true',
    kind,
    limit: Number(limit),
    computedHashes: exchange.parts.profile.exposeComputedHashes === 'everywhere',
    after: after === null ? null : parsePosition(exchange, of, after),
  };
}

function parsePosition({ prefix, parts }: Exchange, of: 'names' | 'versions', text: string): BulkPosition {
  const comma = of === 'versions' ? text.lastIndexOf(',') : text.length;
  const path = text.slice(0, Math.max(comma, 0));
  // PostgreSQL has no text with this character
  if (comma < 0 || text.includes('\0') || !path.startsWith(`${prefix}/`))
    throw new AppError(
      'bad_request',
      `after must be a path of this service${of === 'versions' ? ', a comma and a version' : ''}.`,
    );
  const version = of === 'versions' ? text.slice(comma + 1) : null;
  return { path: parseName(path.slice(prefix.length), parts.settings.urlLimits), version };
}

/** One page, kept so that a slow client holds no connection. */
interface BulkPage {
  readonly lines: Spool;
  /** Where the next one is. */
  readonly next: string | null;
}

/** Bytes of a page that are held in memory; the rest of a longer one waits in a file. */
const MEMORY_BYTES = 256 * 1024;

async function hold({ parts, prefix }: Exchange, connection: Connection, request: BulkRequest): Promise<BulkPage> {
  const end = await endOfBulkPage(connection, request);
  const place = { memoryBytes: MEMORY_BYTES, directory: parts.settings.spoolDirectory };
  const lines = await spool(bulkLines(connection, request, prefix), place);
  return { lines, next: end === null ? null : nextPage(prefix, request, end) };
}

async function send({ response, method, signal }: Exchange, { lines, next }: BulkPage): Promise<void> {
  try {
    response.setHeader('Vary', 'Authorization, Cookie');
    if (next !== null) response.setHeader('Link', `<${next}>; rel="next"`);
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Content-Length': lines.bytes });
    if (method === 'HEAD') response.end();
    else await sendStream(lines.read(), response, lines.bytes, signal);
  } finally {
    await lines.discard();
  }
}

function nextPage(prefix: string, { namespace, of, recursive, kind, limit }: BulkRequest, next: BulkPosition): string {
  const shown = shownPath(prefix, next.path);
  const after = next.version === null ? shown : `${shown},${next.version}`;
  const parameters = [
    ...(recursive ? ['recursive=true'] : []),
    ...(kind === null ? [] : [`kind=${kind}`]),
    `limit=${limit}`,
    `after=${encodeSegment(after)}`,
  ];
  return `${shownPath(prefix, namespace.path)};bulk/${of}?${parameters.join('&')}`;
}
