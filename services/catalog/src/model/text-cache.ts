/** Texts that are costly to make, by a key that names their version; the least recently used go first. */
export interface TextCache {
  /** The text under a key, made when it is not there. */
  get(key: string, make: () => string): string;
}

/** Makes an empty cache; a text that alone is longer than the bound is not kept. */
export function textCache(mostCharacters: number): TextCache {
  const texts = new Map<string, string>();
  let held = 0;
  return {
    get: (key, make) => {
      const known = texts.get(key);
      const text = known ?? make();
      if (known !== undefined) texts.delete(key);
      else if (text.length > mostCharacters) return text;
      else held += text.length;
      texts.set(key, text);
      for (const [oldest, { length }] of texts) {
        if (held <= mostCharacters) break;
        texts.delete(oldest);
        held -= length;
      }
      return text;
    },
  };
}
