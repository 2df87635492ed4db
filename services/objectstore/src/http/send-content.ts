import { AppError, type ByteRange, decideRange } from '@holdfast/http-kit';
import { shownHash } from '../directory/metadata.js';
import type { VersionRecord } from '../directory/records.js';
import { type CanonicalPath, lastSegment, shownVersion } from '../naming/canonical-path.js';
import { byteRangesBody } from '../transfer/byte-ranges.js';
import { openContent, sendStream } from '../transfer/send-content.js';
import type { Exchange } from './exchange.js';
import { answeredByPreconditions } from './read-answer.js';

/** Answers GET and HEAD with the content of a version that the client may read (spec/objectstore.md 6.3, 6.4). */
export async function sendContent(exchange: Exchange, path: CanonicalPath, found: VersionRecord): Promise<void> {
  const { request, response, method, parts, signal } = exchange;
  const etag = `"${found.version}"`;
  if (answeredByPreconditions(exchange, etag, 'fixed')) return;
  describe(exchange, path, found);
  const range = method === 'HEAD' || !ifRangeHolds(request.get('if-range'), etag) ? undefined : request.get('range');
  const decision = decideRange(range, found.bytes);
  switch (decision.kind) {
    case 'unsatisfiable':
      throw new AppError('range_not_satisfiable', `The content has ${found.bytes} bytes; the range lies outside.`, {
        headers: { 'Content-Range': `bytes */${found.bytes}` },
      });
    case 'single':
      return sendPart(exchange, found, decision.range);
    case 'several':
      if (parts.profile.severalRanges === 'refuse')
        throw new AppError('range_not_supported', 'Ask for one range at a time.');
      return sendParts(exchange, found, decision.ranges);
    case 'whole':
      break;
  }
  if (method === 'HEAD') {
    response.writeHead(200, { ...hashHeaders(exchange, found), 'Content-Length': found.bytes });
    response.end();
    return;
  }
  const stream = await openContent(parts.store, found.blobKey);
  response.writeHead(200, { ...hashHeaders(exchange, found), 'Content-Length': found.bytes });
  await sendStream(stream, response, signal);
}

/** Types a browser would run; they must not run in the name of this server (3.5). */
const ACTIVE_TYPE = /^\s*(text\/html|image\/svg\+xml|(text|application)\/xml|[^;]*\+xml)\s*(;|$)/i;

function describe(exchange: Exchange, path: CanonicalPath, version: VersionRecord): void {
  const { response, prefix } = exchange;
  const type = typeOf(version);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Disposition', version.disposition ?? `filename*=UTF-8''${lastSegment(path)}`);
  response.setHeader('Content-Location', shownVersion(prefix, path, version.version));
  response.setHeader('Accept-Ranges', 'bytes');
  // revalidation is cheap, and lists may change
  response.setHeader('Cache-Control', 'private, no-cache');
  if (ACTIVE_TYPE.test(type)) response.setHeader('Content-Security-Policy', 'sandbox');
}

function typeOf(version: VersionRecord): string {
  return version.contentType ?? 'application/octet-stream';
}

/** Hashes describe the whole content, so parts of it go without. */
function hashHeaders({ parts }: Exchange, version: VersionRecord): Record<string, string> {
  const computedToo = parts.profile.exposeComputedHashes !== 'never';
  const md5 = shownHash(version.md5, computedToo);
  const sha256 = shownHash(version.sha256, computedToo);
  return {
    ...(md5 === null ? {} : { 'Content-MD5': md5 }),
    ...(sha256 === null ? {} : { 'Content-SHA256': sha256 }),
  };
}

/** Only a strong tag that is still right lets the range apply (6.4); a date never is, for we send none. */
function ifRangeHolds(header: string | undefined, etag: string): boolean {
  return header === undefined || header.trim() === etag;
}

async function sendPart(exchange: Exchange, version: VersionRecord, range: ByteRange): Promise<void> {
  const { response, parts, signal } = exchange;
  const stream = await openContent(parts.store, version.blobKey, range);
  response.writeHead(206, {
    'Content-Range': `bytes ${range.first}-${range.last}/${version.bytes}`,
    'Content-Length': range.last - range.first + 1,
  });
  await sendStream(stream, response, signal);
}

async function sendParts(exchange: Exchange, version: VersionRecord, ranges: readonly ByteRange[]): Promise<void> {
  const { response, parts, signal } = exchange;
  const body = byteRangesBody(ranges, { type: typeOf(version), size: version.bytes });
  // if the bytes cannot be read, say so while it can still be said
  (await openContent(parts.store, version.blobKey, { first: 0, last: 0 })).destroy();
  response.writeHead(206, { 'Content-Type': body.contentType, 'Content-Length': body.length });
  await sendStream(
    body.stream((range) => openContent(parts.store, version.blobKey, range)),
    response,
    signal,
  );
}
