import { createHash } from 'node:crypto';
import { type StoredContent, WrongLength } from './blob-store.js';

/** Counts and hashes bytes while they pass. */
export interface ContentMeter {
  /** For a stream pipeline: hands every chunk on unchanged. */
  through(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /**
   * What has passed.
   * @throws {WrongLength} when it is not as long as announced
   */
  result(): StoredContent;
}

/** One pass for length, MD5 and SHA-256; nothing is read twice. */
export function contentMeter(expectedBytes: number | null): ContentMeter {
  const md5 = createHash('md5');
  const sha256 = createHash('sha256');
  let bytes = 0;
  return {
    async *through(source) {
      for await (const chunk of source) {
        bytes += chunk.byteLength;
        if (expectedBytes !== null && bytes > expectedBytes) throw new WrongLength(expectedBytes, bytes);
        md5.update(chunk);
        sha256.update(chunk);
        yield chunk;
      }
    },
    result: () => {
      if (expectedBytes !== null && bytes !== expectedBytes) throw new WrongLength(expectedBytes, bytes);
      return { bytes, md5: md5.digest(), sha256: sha256.digest() };
    },
  };
}
