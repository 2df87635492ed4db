import { createHash } from 'node:crypto';

/** Makes the tag of a list while it is read for something else. */
export interface ListTagger {
  /** Hands the pages on unchanged. */
  through(pages: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]>;
  /** The quoted tag of what has passed. */
  tag(): string;
}

/** Entity tag of an ordered list that may be too long to hold (spec/objectstore.md 3.3). */
export function listTagger(): ListTagger {
  const hash = createHash('sha256');
  return {
    async *through(pages) {
      for await (const page of pages) {
        for (const item of page) hash.update(item).update('\n');
        yield page;
      }
    },
    tag: () => `"${hash.digest('base64url').slice(0, 22)}"`,
  };
}

/** Tag of a list that is read for nothing else. */
export async function listTag(pages: AsyncIterable<readonly string[]>): Promise<string> {
  const tagger = listTagger();
  for await (const _page of tagger.through(pages));
  return tagger.tag();
}
