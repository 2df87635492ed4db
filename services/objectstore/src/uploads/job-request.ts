import { AppError } from '@holdfast/http-kit';
import { parseContentType, parseDisposition } from '../naming/content-metadata.js';
import { parseHash } from '../naming/hash-text.js';

/** What a client asks for when it creates an upload job. */
export interface JobRequest {
  readonly chunkLength: number;
  readonly contentLength: number;
  readonly contentType: string | null;
  readonly disposition: string | null;
  readonly md5: Buffer | null;
  readonly sha256: Buffer | null;
  /** Lists for a new object; undefined when the request gives none. */
  readonly acls: unknown;
}

/** Bounds of jobs (docs/configuration.md). */
export interface JobLimits {
  readonly minChunkBytes: number;
  readonly maxChunkBytes: number;
  readonly maxObjectBytes: number;
  readonly maxChunks: number;
}

/**
 * Reads the document that creates a job (spec/objectstore.md 10.2). Unknown members are ignored.
 * @param json the parsed body; undefined for an empty one
 * @throws {AppError} `bad_json`, `bad_request`, `bad_hash`, `bad_disposition`
 */
export function parseJobRequest(json: unknown, limits: JobLimits): JobRequest {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new AppError('bad_json', 'Send a JSON object with chunk-length and content-length.');
  const members = new Map<string, unknown>(Object.entries(json));
  const chunkLength = requiredNumber(members, 'chunk-length', 'chunk_bytes');
  const contentLength = requiredNumber(members, 'content-length', 'total_bytes');
  within('chunk-length', chunkLength, limits.minChunkBytes, limits.maxChunkBytes);
  within('content-length', contentLength, 0, limits.maxObjectBytes);
  within('the number of chunks', Math.ceil(contentLength / chunkLength), 0, limits.maxChunks);
  return {
    chunkLength,
    contentLength,
    contentType: optionalText(members, parseContentType, 'content-type', 'content_type'),
    disposition: optionalText(members, parseDisposition, 'content-disposition'),
    md5: optionalText(members, (text) => parseHash('md5', text), 'content-md5', 'content_md5'),
    sha256: optionalText(members, (text) => parseHash('sha256', text), 'content-sha256'),
    acls: members.get('acls') ?? undefined,
  };
}

function requiredNumber(members: ReadonlyMap<string, unknown>, name: string, alias: string): number {
  const value = memberOf(members, name, alias);
  const digits = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof digits !== 'number' || !Number.isSafeInteger(digits))
    throw new AppError('bad_request', `${name} is needed, as a whole number of bytes.`);
  return digits;
}

function within(what: string, value: number, min: number, max: number): void {
  if (value < min || value > max) throw new AppError('bad_request', `It must be from ${min} to ${max}: ${what}.`);
}

function optionalText<Value>(
  members: ReadonlyMap<string, unknown>,
  parse: (text: string) => Value,
  name: string,
  alias?: string,
): Value | null {
  const value = memberOf(members, name, alias) ?? '';
  if (typeof value !== 'string') throw new AppError('bad_request', `${name} must be a string.`);
  const text = value.trim();
  return text === '' ? null : parse(text);
}

function memberOf(members: ReadonlyMap<string, unknown>, name: string, alias?: string): unknown {
  const value = members.get(name);
  const other = alias === undefined ? undefined : members.get(alias);
  if (value !== undefined && other !== undefined && String(value) !== String(other))
    throw new AppError('bad_request', `${name} and ${alias} say different things; send one of them.`);
  return value ?? other;
}
