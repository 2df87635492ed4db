import { createHash } from 'node:crypto';
import { type BlobSource, type StoredContent, WrongLength } from './blob-store.js';

/** Counts and hashes bytes while they pass. */
export interface ContentMeter {
  /**
   * For a stream pipeline: hands every chunk on unchanged. The last one is handed on only when everything is known to be right, so that
   * a store that waits for an announced length never gets the whole of a wrong content.
   */
  through(): AsyncGenerator<Buffer>;
  /** Whether the last byte was handed on: from then on nobody but the store knows whether it has the content. */
  handedOver(): boolean;
  /**
   * What has passed.
   * @throws {WrongLength} when the source has not ended
   */
  result(): StoredContent;
}

/** One pass for length, MD5 and SHA-256; nothing is read twice. */
export function contentMeter({ bytes: source, expectedBytes, verify }: BlobSource): ContentMeter {
  const md5 = createHash('md5');
  const sha256 = createHash('sha256');
  let bytes = 0;
  let content: StoredContent | null = null;
  return {
    async *through() {
      let last: Buffer | null = null;
      for await (const chunk of source) {
        bytes += chunk.byteLength;
        if (expectedBytes !== null && bytes > expectedBytes) throw new WrongLength(expectedBytes, bytes);
        md5.update(chunk);
        sha256.update(chunk);
        if (last !== null) yield last;
        last = chunk;
      }
      if (expectedBytes !== null && bytes !== expectedBytes) throw new WrongLength(expectedBytes, bytes);
      const whole = { bytes, md5: md5.digest(), sha256: sha256.digest() };
      verify?.(whole);
      content = whole;
      if (last !== null) yield last;
    },
    handedOver: () => content !== null,
    result: () => {
      if (content === null) throw new WrongLength(expectedBytes ?? bytes, bytes);
      return content;
    },
  };
}
