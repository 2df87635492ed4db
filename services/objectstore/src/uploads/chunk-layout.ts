import { AppError } from '@holdfast/http-kit';

/** How content is cut: equal chunks, the last one perhaps shorter. */
export interface ChunkLayout {
  readonly chunkLength: number;
  readonly contentLength: number;
}

/** Number of chunks. */
export function chunkCount({ chunkLength, contentLength }: ChunkLayout): number {
  return Math.ceil(contentLength / chunkLength);
}

/**
 * The chunk number in a URL.
 * @throws {AppError} `bad_request` unless it is `0` or digits without a leading zero, within 53 bits
 */
export function parseChunkNumber(text: string): number {
  const number = /^(0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number))
    throw new AppError('bad_request', 'A chunk number is a whole number, counted from 0.');
  return number;
}

/**
 * Bytes the chunk must have.
 * @throws {AppError} `chunk_out_of_range`
 */
export function lengthOfChunk(layout: ChunkLayout, number: number): number {
  const count = chunkCount(layout);
  if (number >= count)
    throw new AppError(
      'chunk_out_of_range',
      count === 0 ? 'The job has no chunks.' : `The chunks of the job are 0 to ${count - 1}.`,
    );
  return Math.min(layout.chunkLength, layout.contentLength - number * layout.chunkLength);
}
