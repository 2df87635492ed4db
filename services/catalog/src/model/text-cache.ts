/** Texts that are costly to make, as the bytes that go out, by a key that names their version; the least recently used go first. */
export interface TextCache {
  /** The text under a key in UTF-8, made when it is not there. */
  get(key: string, make: () => string): Buffer;
}

/** Makes an empty cache; a text that alone is longer than the bound is not kept. */
export function textCache(mostBytes: number): TextCache {
  const texts = new Map<string, Buffer>();
  let held = 0;
  return {
    get: (key, make) => {
      const known = texts.get(key);
      const text = known ?? Buffer.from(make());
      if (known !== undefined) texts.delete(key);
      else if (text.length > mostBytes) return text;
      else held += text.length;
      texts.set(key, text);
      for (const [oldest, { length }] of texts) {
        if (held <= mostBytes) break;
        texts.delete(oldest);
        held -= length;
      }
      return text;
    },
  };
}
