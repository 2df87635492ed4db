import { AppError, readBody } from '@holdfast/http-kit';
import type { Request } from 'express';

/**
 * Reads a small body as UTF-8.
 * @throws {AppError} `bad_request` when it is not
 */
export async function readText(request: Request, limit: number): Promise<string> {
  const bytes = await readBody(request, limit);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError('bad_request', 'The body is not UTF-8.', { cause: error });
  }
}
