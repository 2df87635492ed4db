import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Hashes } from './algorithms.js';
import { comparePaths } from './path-encoding.js';
import type { Scratch } from './scratch.js';

/** A payload file as manifests and fetch.txt need it; `path` from the top of the bag. */
export interface PayloadEntry {
  readonly path: string;
  readonly bytes: number;
  readonly hashes: Hashes;
  /** only references have one */
  readonly url?: string;
}

/**
 * Payload entries in path order, any number of them: up to `limit` in memory, sorted runs in scratch files beyond, merged
 * when read (spec/export.md 13.6). Can be read several times.
 */
export class EntrySpool {
  readonly #scratch: Scratch;
  readonly #limit: number;
  readonly #onProgress: () => void;
  #recent: PayloadEntry[] = [];
  readonly #runs: string[] = [];

  constructor(scratch: Scratch, limit = 50_000, onProgress: () => void = () => {}) {
    this.#scratch = scratch;
    this.#limit = limit;
    this.#onProgress = onProgress;
  }

  async add(entry: PayloadEntry): Promise<void> {
    this.#recent.push(entry);
    if (this.#recent.length >= this.#limit) await this.#spill();
  }

  /** All entries, those of equal path next to each other. */
  async *sorted(): AsyncGenerator<PayloadEntry, void, undefined> {
    this.#recent.sort(byPath);
    const sources = [...this.#runs.map(readRun), inMemory(this.#recent)];
    const heads: { entry: PayloadEntry; readonly source: AsyncGenerator<PayloadEntry, void, undefined> }[] = [];
    try {
      for (const source of sources) {
        const first = await source.next();
        if (!first.done) heads.push({ entry: first.value, source });
      }
      // some twenty runs for a million entries: looking at each head is as fast as a heap
      for (let count = 0; ; count += 1) {
        if (count % 1024 === 0) this.#onProgress();
        let least = heads[0];
        if (least === undefined) return;
        for (const head of heads) if (byPath(head.entry, least.entry) < 0) least = head;
        yield least.entry;
        const next = await least.source.next();
        if (next.done) heads.splice(heads.indexOf(least), 1);
        else least.entry = next.value;
      }
    } finally {
      for (const source of sources) await source.return();
    }
  }

  async #spill(): Promise<void> {
    const run = this.#recent.sort(byPath);
    this.#recent = [];
    const file = await this.#scratch.create();
    try {
      for (let from = 0; from < run.length; from += 1000) {
        const lines = run.slice(from, from + 1000).map((entry) => `${JSON.stringify(entry)}\n`);
        await file.write(Buffer.from(lines.join('')));
        this.#onProgress();
      }
    } finally {
      await file.close();
    }
    this.#runs.push(file.path);
  }
}

function byPath(a: PayloadEntry, b: PayloadEntry): number {
  return comparePaths(a.path, b.path);
}

async function* inMemory(entries: readonly PayloadEntry[]): AsyncGenerator<PayloadEntry, void, undefined> {
  yield* entries;
}

/** Not node:readline, which also splits at U+2028 and U+2029, and those may be in a name. */
async function* readRun(path: string): AsyncGenerator<PayloadEntry, void, undefined> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of createReadStream(path)) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    // written above by ourselves, so the shape is known
    for (const line of lines) yield JSON.parse(line) as PayloadEntry;
  }
}
