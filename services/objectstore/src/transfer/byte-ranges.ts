import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ByteRange } from '@holdfast/http-kit';

/** Several parts of a content as one `multipart/byteranges` body. */
export interface ByteRangesBody {
  readonly contentType: string;
  readonly length: number;
  /** The body; each part is opened when its turn comes. */
  stream(open: (range: ByteRange) => Promise<Readable>): AsyncGenerator<Buffer>;
}

/**
 * Lays out a `multipart/byteranges` body (RFC 9110, 14.6).
 * @param ranges in the order in which they are sent
 * @param content type and size of the whole
 */
export function byteRangesBody(
  ranges: readonly ByteRange[],
  content: { readonly type: string; readonly size: number },
): ByteRangesBody {
  const boundary = randomBytes(18).toString('base64url');
  const parts = ranges.map((range) => ({
    range,
    head: Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${content.type}\r\nContent-Range: bytes ${range.first}-${range.last}/${content.size}\r\n\r\n`,
    ),
  }));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const length = parts.reduce(
    (sum, { head, range }) => sum + head.byteLength + range.last - range.first + 1,
    tail.byteLength,
  );
  return {
    contentType: `multipart/byteranges; boundary=${boundary}`,
    length,
    async *stream(open) {
      for (const { head, range } of parts) {
        yield head;
        yield* (await open(range)) as AsyncIterable<Buffer>;
      }
      yield tail;
    },
  };
}
