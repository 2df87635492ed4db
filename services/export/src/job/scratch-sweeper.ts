import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@holdfast/http-kit';
import type { ExportStore } from './export-store.js';
import type { Sweeper } from './sweeper.js';

/** What sweeping scratch needs. */
export interface ScratchParts {
  /** Has one directory for each run, `<id>-<attempt>`; several workers may share it. */
  readonly directory: string;
  readonly store: Pick<ExportStore, 'isRunning'>;
}

/** What doing so again and again needs. */
export interface ScratchSweeperParts extends ScratchParts {
  readonly log: Logger;
  readonly intervalSeconds: number;
}

/** Removes what runs left in scratch that are over, killed workers' above all: once before this returns, and again and again. */
export async function startScratchSweeper(parts: ScratchSweeperParts): Promise<Sweeper> {
  await sweepScratch(parts);
  let current: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    current = current
      .then(async () => void (await sweepScratch(parts)))
      .catch((error: unknown) => parts.log.warn({ err: error }, 'sweeping scratch failed'));
  }, parts.intervalSeconds * 1_000);
  return {
    stop: async () => {
      clearInterval(timer);
      await current;
    },
  };
}

/**
 * One pass. A worker makes it whoever sweeps otherwise: in a cluster nobody else can reach its scratch.
 * @returns how many runs had left something
 */
export async function sweepScratch({ directory, store }: ScratchParts): Promise<number> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  let removed = 0;
  for (const name of await readdir(directory)) {
    const [, id, attempt] = /^([0-9a-f-]{36})-(\d+)$/.exec(name) ?? [];
    if (id === undefined || (await store.isRunning({ id, attempt: Number(attempt) }))) continue;
    await rm(join(directory, name), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
