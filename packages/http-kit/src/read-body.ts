import type { Request } from 'express';
import { AppError } from './app-error.js';
import { sendContinue } from './expect-continue.js';

/**
 * Reads a small body whole.
 * @param limit bytes; a longer body is refused with 413 as soon as that is known
 * @throws {AppError} `too_large`, or `bad_encoding` for a content coding
 */
export async function readBody(request: Request, limit: number): Promise<Buffer> {
  refuseContentCoding(request);
  const tooLarge = (): AppError => new AppError('too_large', `The body may have ${limit} bytes at most.`);
  if (Number(request.get('content-length') ?? 0) > limit) throw tooLarge();
  sendContinue(request);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/**
 * Reads a JSON body.
 * @param parse in place of `JSON.parse`
 * @returns the value; undefined for an empty body
 * @throws {AppError} `bad_json` when it is not UTF-8 or not JSON
 */
export async function readJson<Value = unknown>(
  request: Request,
  limit: number,
  parse: (text: string) => Value = (text) => JSON.parse(text),
): Promise<Value | undefined> {
  const bytes = await readBody(request, limit);
  if (bytes.byteLength === 0) return undefined;
  try {
    return parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is not valid UTF-8';
    throw new AppError('bad_json', `The body is not JSON: ${reason}`, { cause: error });
  }
}

/** Content codings of requests are refused: nothing is decoded (spec/objectstore.md 3.6). */
export function refuseContentCoding(request: Request): void {
  const coding = request.get('content-encoding')?.trim().toLowerCase();
  if (coding !== undefined && coding !== '' && coding !== 'identity') {
    throw new AppError('bad_encoding', `Send the body without Content-Encoding (got ${JSON.stringify(coding)}).`);
  }
}
