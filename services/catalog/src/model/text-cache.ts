import { boundedCache } from './bounded-cache.js';

/** Texts that are costly to make, as the bytes that go out, by a key that names their version; the least recently used go first. */
export interface TextCache {
  /** The text under a key in UTF-8, made when it is not there. */
  get(key: string, make: () => string): Buffer;
}

/** Makes an empty cache. */
export function textCache(mostBytes: number): TextCache {
  const texts = boundedCache<Buffer>({ mostWeight: mostBytes, weightOf: ({ length }) => length });
  return {
    get: (key, make) => {
      const known = texts.get(key);
      if (known !== undefined) return known;
      const text = Buffer.from(make());
      texts.set(key, text);
      return text;
    },
  };
}
