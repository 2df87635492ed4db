import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Hashes } from './algorithms.js';
import { EntryArena } from './entry-arena.js';
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

/** Entries handed on together: one wait for each would cost more than all the rest of the work. */
export type EntryBatch = readonly PayloadEntry[];

/** Entries of a batch. */
const AT_A_TIME = 512;

/** Octets of entries in memory beyond which they go to scratch, however few they are. */
const MOST_OCTETS = 24 * 1024 * 1024;

/**
 * Payload entries in path order, any number of them: up to `limit` in memory, sorted runs in scratch files beyond, merged
 * when read (spec/export.md 13.6). Can be read several times.
 */
export class EntrySpool {
  readonly #scratch: Scratch;
  readonly #limit: number;
  readonly #onProgress: () => void;
  readonly #recent = new EntryArena();
  readonly #runs: string[] = [];

  constructor(scratch: Scratch, limit = 50_000, onProgress: () => void = () => {}) {
    this.#scratch = scratch;
    this.#limit = limit;
    this.#onProgress = onProgress;
  }

  async add(entry: PayloadEntry): Promise<void> {
    await this.addAll([entry]);
  }

  async addAll(entries: EntryBatch): Promise<void> {
    for (const entry of entries) {
      this.#recent.add(entry.path, `${JSON.stringify(entry)}\n`);
      if (this.#recent.count >= this.#limit || this.#recent.size > MOST_OCTETS) await this.#spill();
    }
  }

  /** All entries, those of equal path next to each other. */
  async *sorted(): AsyncGenerator<EntryBatch, void, undefined> {
    const sources = [...this.#runs.map(readRun), this.#inMemory()];
    try {
      for await (const batch of sources.length === 1 ? this.#inMemory() : merged(sources)) {
        this.#onProgress();
        yield batch;
      }
    } finally {
      for (const source of sources) await source.return();
    }
  }

  async *#inMemory(): AsyncGenerator<EntryBatch, void, undefined> {
    for (const lines of this.#recent.sorted(AT_A_TIME)) yield lines.map((line) => parseEntry(line.toString('utf8')));
  }

  async #spill(): Promise<void> {
    const file = await this.#scratch.create();
    try {
      for (const lines of this.#recent.sorted(AT_A_TIME)) {
        await file.write(Buffer.concat(lines));
        this.#onProgress();
      }
    } finally {
      await file.close();
    }
    this.#recent.clear();
    this.#runs.push(file.path);
  }
}

/** A sorted source and where it is. */
interface Head {
  readonly source: AsyncGenerator<EntryBatch, void, undefined>;
  batch: EntryBatch;
  at: number;
  entry: PayloadEntry;
}

async function* merged(
  sources: readonly AsyncGenerator<EntryBatch, void, undefined>[],
): AsyncGenerator<EntryBatch, void, undefined> {
  const heap: Head[] = [];
  for (const source of sources) {
    const next = await nextBatch(source);
    const [entry] = next;
    if (entry !== undefined) heap.push({ source, batch: next, at: 0, entry });
  }
  heap.sort(byEntry);
  let out: PayloadEntry[] = [];
  for (let head = heap[0]; head !== undefined; head = heap[0]) {
    out.push(head.entry);
    head.at += 1;
    if (head.at === head.batch.length) {
      head.batch = await nextBatch(head.source);
      head.at = 0;
    }
    const entry = head.batch[head.at];
    if (entry !== undefined) head.entry = entry;
    else {
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) heap[0] = last;
    }
    sink(heap);
    if (out.length >= AT_A_TIME) {
      yield out;
      out = [];
    }
  }
  if (out.length > 0) yield out;
}

/** The next batch that has entries; an empty one at the end. */
async function nextBatch(source: AsyncGenerator<EntryBatch, void, undefined>): Promise<EntryBatch> {
  for (;;) {
    const next = await source.next();
    if (next.done === true) return [];
    if (next.value.length > 0) return next.value;
  }
}

/** Puts the first of a heap where it belongs. */
function sink(heap: Head[]): void {
  for (let at = 0; ; ) {
    const here = heap[at];
    let child = 2 * at + 1;
    const [left, right] = [heap[child], heap[child + 1]];
    if (here === undefined || left === undefined) return;
    if (right !== undefined && byEntry(right, left) < 0) child += 1;
    const least = heap[child];
    if (least === undefined || byEntry(here, least) <= 0) return;
    heap[at] = least;
    heap[child] = here;
    at = child;
  }
}

function byEntry(a: Head, b: Head): number {
  return comparePaths(a.entry.path, b.entry.path);
}

/** Not node:readline, which also splits at U+2028 and U+2029, and those may be in a name. */
async function* readRun(path: string): AsyncGenerator<EntryBatch, void, undefined> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of createReadStream(path)) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield lines.map(parseEntry);
  }
}

/** Written above by ourselves, so the shape is known. */
function parseEntry(line: string): PayloadEntry {
  return JSON.parse(line) as PayloadEntry;
}
