import { Readable } from 'node:stream';
import { AppError, type ByteRange, decideRange, sendBody } from '@holdfast/http-kit';
import { shownHash } from '../directory/metadata.js';
import type { VersionRecord } from '../directory/records.js';
import { lastSegment, shownVersion } from '../naming/canonical-path.js';
import { byteRangesBody } from '../transfer/byte-ranges.js';
import { openContent, sendStream } from '../transfer/send-content.js';
import type { Exchange } from './exchange.js';
import type { ReadableContent } from './find-readable.js';
import { answeredByPreconditions } from './read-answer.js';

/** Answers GET and HEAD with the content of a version that the client may read (spec/objectstore.md 6.3, 6.4). */
export async function sendContent(exchange: Exchange, content: ReadableContent): Promise<void> {
  const found = content.version;
  const { request, response, method, parts, signal } = exchange;
  const etag = `"${found.version}"`;
  if (answeredByPreconditions(exchange, etag, 'fixed')) return;
  describe(exchange, content);
  const range = method === 'HEAD' || !ifRangeHolds(request.get('if-range'), etag) ? undefined : request.get('range');
  const overlaps = parts.profile.severalRanges === 'refuse' ? 'keep' : 'merge';
  const decision = decideRange(range, found.bytes, overlaps);
  switch (decision.kind) {
    case 'unsatisfiable':
      throw new AppError('range_not_satisfiable', `The content has ${found.bytes} bytes; the range lies outside.`, {
        headers: { 'Content-Range': `bytes */${found.bytes}` },
      });
    case 'single':
      return sendPart(exchange, content, decision.range);
    case 'several':
      if (parts.profile.severalRanges === 'refuse')
        throw new AppError('range_not_supported', 'Ask for one range at a time.');
      return sendParts(exchange, content, decision.ranges);
    case 'whole':
      break;
  }
  if (method === 'HEAD') {
    response.writeHead(200, { ...hashHeaders(exchange, found), 'Content-Length': found.bytes });
    response.end();
    return;
  }
  const presigned = await presignedUrl(exchange, content);
  if (presigned !== null) return redirect(exchange, presigned);
  // a range of known length lets the store read little at once
  const whole = found.bytes > 0 && found.bytes <= SMALL ? { first: 0, last: found.bytes - 1 } : undefined;
  const stream = await openContent(parts.store, content.key, whole);
  response.writeHead(200, { ...hashHeaders(exchange, found), 'Content-Length': found.bytes });
  await sendStream(stream, response, found.bytes, signal);
}

/** Content up to this is read in one go. */
const SMALL = 64 * 1024;

/** Large content may be fetched from the store itself, if the deployment wants that (6.7). */
async function presignedUrl(exchange: Exchange, { version, key }: ReadableContent): Promise<string | null> {
  const { store, settings } = exchange.parts;
  const { presign } = settings;
  const asked = exchange.request.get('range') !== undefined;
  if (presign === null || store.presign === undefined || asked || version.bytes <= presign.aboveBytes) return null;
  const disposition = String(exchange.response.getHeader('Content-Disposition'));
  return store.presign(key, { type: typeOf(version), disposition }, presign.seconds);
}

function redirect({ request, response }: Exchange, url: string): void {
  response.setHeader('Location', url);
  response.setHeader('Cache-Control', 'no-store');
  response.removeHeader('Content-Disposition');
  response.removeHeader('Accept-Ranges');
  sendBody(request, response, 303, 'text/uri-list', `${url}\n`);
}

/** Types a browser would run; they must not run in the name of this server (3.5). */
const ACTIVE_TYPE = /^\s*(text\/html|image\/svg\+xml|(text|application)\/xml|[^;]*\+xml)\s*(;|$)/i;

function describe(exchange: Exchange, { path, version }: ReadableContent): void {
  const { response, prefix } = exchange;
  const type = typeOf(version);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Disposition', version.disposition ?? `filename*=UTF-8''${lastSegment(path)}`);
  const location = shownVersion(prefix, path, version.version);
  response.setHeader('Content-Location', location);
  // under the old name and under the new one
  if (version.renamed) response.setHeader('Location', location);
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

async function sendPart(exchange: Exchange, { version, key }: ReadableContent, range: ByteRange): Promise<void> {
  const { response, parts, signal } = exchange;
  const stream = await openContent(parts.store, key, range);
  const length = range.last - range.first + 1;
  response.writeHead(206, {
    'Content-Range': `bytes ${range.first}-${range.last}/${version.bytes}`,
    'Content-Length': length,
  });
  await sendStream(stream, response, length, signal);
}

async function sendParts(
  exchange: Exchange,
  { version, key }: ReadableContent,
  ranges: readonly ByteRange[],
): Promise<void> {
  const { response, parts, signal } = exchange;
  const body = byteRangesBody(ranges, { type: typeOf(version), size: version.bytes });
  // if the bytes cannot be read, say so while it can still be said
  (await openContent(parts.store, key, { first: 0, last: 0 })).destroy();
  response.writeHead(206, { 'Content-Type': body.contentType, 'Content-Length': body.length });
  const stream = Readable.from(body.stream((range) => openContent(parts.store, key, range)));
  await sendStream(stream, response, body.length, signal);
}
