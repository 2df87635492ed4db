import type { IncomingMessage } from 'node:http';
import { AppError } from '@holdfast/http-kit';

/**
 * The body of a request as bytes. Ending early does not destroy the request, so that it can still be answered.
 * @param limit most bytes
 * @throws {AppError} `too_large` as soon as the limit is passed, `cancelled` when the client has gone
 */
export async function* requestBytes(request: IncomingMessage, limit: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > limit) throw new AppError('too_large', `The content may have ${limit} bytes at most.`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('cancelled', 'The client has gone before the body was complete.', { cause: error });
  }
  // a chunked body that was cut must not pass for a whole one
  if (!request.complete) throw new AppError('cancelled', 'The client has gone before the body was complete.');
}
