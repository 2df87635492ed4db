import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { Away, caller, Wrong } from './load-client.js';
import { verifyAll } from './load-verify.js';
import { prepare, putObject, read, startExport, uploadInChunks, write } from './load-work.js';

/** What one request of the load came to. */
export type Outcome =
  | { readonly kind: 'done' }
  /** 503 with Retry-After: nothing was done, try again. */
  | { readonly kind: 'away' }
  /** The connection broke; what was asked may have been done. */
  | { readonly kind: 'cut'; readonly reason: string }
  | { readonly kind: 'failed'; readonly what: string };

/** Clients of all kinds at work, who remember what was acknowledged. */
export interface MixedLoad {
  /** Outcomes so far by kind of work: `read`, `write`, `object`, `upload`, `export`. */
  counts(): Readonly<Record<string, Readonly<Record<Outcome['kind'], number>>>>;
  /** What must never happen, one sentence each. */
  failures(): readonly string[];
  /** Reasons of broken connections, for the report. */
  cuts(): readonly string[];
  /** Resolves when work of every kind has been done once more. */
  everythingWorks(): Promise<void>;
  /** No new work; waits for what runs. */
  stop(): Promise<void>;
  /**
   * Compares all that was acknowledged with what is there: sentences about what is missing or wrong.
   * @param excused code with which accepted exports may have failed, because their client was told to come again
   */
  verify(excused?: string): Promise<readonly string[]>;
}

const kinds = ['read', 'write', 'object', 'upload', 'export'] as const;
type Kind = (typeof kinds)[number];

/** Makes a catalog and a namespace as alice, then works in them until it is stopped. */
export async function startMixedLoad(url: string): Promise<MixedLoad> {
  const agent = new Agent({ connections: 32, pipelining: 1 });
  const call = caller(url, agent);
  const place = await prepare(call);
  const counts = Object.fromEntries(kinds.map((kind) => [kind, { done: 0, away: 0, cut: 0, failed: 0 }]));
  const failures: string[] = [];
  const cuts: string[] = [];
  const stopping = new AbortController();
  const kept = { batches: [] as number[], objects: new Map<string, string>(), exports: [] as string[] };
  const work: Readonly<Record<Kind, (turn: number) => Promise<void>>> = {
    read: () => read(call, place),
    write: async (turn) => {
      await write(call, place, turn);
      kept.batches.push(turn);
    },
    object: async (turn) => {
      const [path, hash] = await putObject(call, place, turn);
      kept.objects.set(path, hash);
    },
    upload: async (turn) => {
      const [path, hash] = await uploadInChunks(call, place, turn, (error) =>
        remember('upload', turn, outcomeOf(error)),
      );
      kept.objects.set(path, hash);
    },
    export: async () => {
      kept.exports.push(await startExport(call, url, place));
    },
  };
  const remember = (kind: Kind, turn: number, outcome: Outcome): void => {
    const count = counts[kind];
    if (count !== undefined) count[outcome.kind] += 1;
    if (outcome.kind === 'failed') failures.push(`${kind} ${turn}: ${outcome.what}`);
    if (outcome.kind === 'cut') cuts.push(`${kind} ${turn}: ${outcome.reason}`);
  };
  const loops = kinds.map(async (kind) => {
    for (let turn = 1; !stopping.signal.aborted; turn += 1) {
      const outcome = await work[kind](turn).then((): Outcome => ({ kind: 'done' }), outcomeOf);
      remember(kind, turn, outcome);
      await sleep(outcome.kind === 'done' ? (kind === 'export' ? 400 : 10) : 100);
    }
  });
  return {
    counts: () => counts,
    failures: () => failures,
    cuts: () => cuts,
    everythingWorks: async () => {
      const before = kinds.map((kind) => counts[kind]?.done ?? 0);
      while (!kinds.every((kind, index) => (counts[kind]?.done ?? 0) > (before[index] ?? 0))) await sleep(50);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
    verify: async (excused) => {
      try {
        return await verifyAll(call, place, kept, excused);
      } finally {
        await agent.close();
      }
    },
  };
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Away) return { kind: 'away' };
  if (error instanceof Wrong) return { kind: 'failed', what: error.message };
  return { kind: 'cut', reason: error instanceof Error ? `${error.name} ${error.message}` : String(error) };
}
