import { AppError } from '@holdfast/http-kit';
import type { Request } from 'express';
import type { StoredContent } from '../blobs/blob-store.js';
import { parseContentType, parseDisposition } from '../naming/content-metadata.js';
import { parseHash } from '../naming/hash-text.js';

/** What the headers of a PUT say about the content. */
export interface ContentHeaders {
  readonly contentType: string | null;
  readonly disposition: string | null;
  readonly hashes: DeclaredHashes;
}

/** Hashes that the body must have. */
export interface DeclaredHashes {
  readonly md5: Buffer | null;
  readonly sha256: Buffer | null;
}

/**
 * Checks the headers that describe content, before anything is looked up (spec/objectstore.md 3.1 step 5, 6.2).
 * @throws {AppError} `bad_hash`, `bad_disposition`, `bad_request`
 */
export function contentHeaders(request: Request): ContentHeaders {
  return {
    contentType: parsed(headerText(request, 'Content-Type'), parseContentType),
    disposition: parsed(headerText(request, 'Content-Disposition'), parseDisposition),
    hashes: declaredHashes(request),
  };
}

/**
 * The hashes in the headers of a request, which are all that a chunk has to say of itself (10.4).
 * @throws {AppError} `bad_hash`
 */
export function declaredHashes(request: Request): DeclaredHashes {
  return {
    md5: parsed(headerText(request, 'Content-MD5'), (text) => parseHash('md5', text)),
    sha256: parsed(headerText(request, 'Content-SHA256'), (text) => parseHash('sha256', text)),
  };
}

/**
 * Compares what came with the hashes the client gave, those of announced trailers too; for use when the body is over.
 * @returns which hashes the client gave
 * @throws {AppError} `hash_mismatch_body`
 */
export function refuseOtherContent(
  request: Request,
  headers: DeclaredHashes,
  stored: StoredContent,
): { md5: boolean; sha256: boolean } {
  const md5 = [headers.md5, parsed(trailerText(request, 'content-md5'), (text) => parseHash('md5', text))];
  const sha256 = [headers.sha256, parsed(trailerText(request, 'content-sha256'), (text) => parseHash('sha256', text))];
  const given = (hashes: readonly (Buffer | null)[], computed: Buffer, header: string): boolean => {
    const declared = hashes.filter((hash) => hash !== null);
    if (declared.every((hash) => hash.equals(computed))) return declared.length > 0;
    throw new AppError(
      'hash_mismatch_body',
      `The content received does not have the hash that ${header} says; it may be damaged on the way. Send it again.`,
    );
  };
  return {
    md5: given(md5, stored.md5, 'Content-MD5'),
    sha256: given(sha256, stored.sha256, 'Content-SHA256'),
  };
}

/**
 * A header's text, trimmed; null when it is absent or empty.
 * @throws {AppError} `bad_request` unless it is printable ASCII
 */
export function headerText(request: Request, name: string): string | null {
  return printable(name, request.get(name));
}

function trailerText(request: Request, name: string): string | null {
  const announced = (request.get('trailer') ?? '').split(',').map((word) => word.trim().toLowerCase());
  return announced.includes(name) ? printable(name, request.trailers[name]) : null;
}

function printable(name: string, text: string | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  if (!/^[\x20-\x7e]*$/.test(trimmed)) throw new AppError('bad_request', `${name} must be printable ASCII.`);
  return trimmed === '' ? null : trimmed;
}

function parsed<Value>(text: string | null, parse: (text: string) => Value): Value | null {
  return text === null ? null : parse(text);
}
