import type { Logger } from '@holdfast/http-kit';
import { asLeader, type Database } from '@holdfast/pg-kit';
import type { ExpiredExport } from './export-retention.js';
import type { ExportStore } from './export-store.js';

/** Where results are removed; a later stage implements it. */
export interface StoredResults {
  removeAll(stored: ExpiredExport): Promise<void>;
  removeOthers(stored: ExpiredExport, published: readonly string[]): Promise<void>;
  /** @returns how many there were */
  removeEmptyDays(needed: readonly string[], now: Date): Promise<number>;
}

/** What retention needs. */
export interface RetentionParts {
  readonly database: Database;
  readonly store: ExportStore;
  readonly results: StoredResults;
  readonly log: Logger;
  /** Seconds after its end in which a run that was given up may still store something until it notices. */
  readonly residueSeconds: number;
}

/** What one round removed. */
export interface RemovedResults {
  /** Sealed credentials past their time. */
  readonly credentials: number;
  /** Exports past their time. */
  readonly exports: number;
  /** Exports of which only what their runs left was removed. */
  readonly residues: number;
  /** Namespaces of days. */
  readonly days: number;
  /** Whether more is due than one round takes. */
  readonly more: boolean;
}

/** Key of the advisory lock that makes one process remove ("exportsw" as a number). */
const SWEEP_LOCK = '7311717618999915383';

/** Exports of one round: a sweep shall not take for ever. */
const MOST = 100;

/**
 * One round of removal: credentials and exports past their time, what runs left, and, when asked for, empty namespaces of days. By one
 * process at a time; the next round goes on where one broke off.
 * @returns null when another process is at it
 * @throws when the object store does not do what it is asked
 */
export function sweepResults(
  parts: RetentionParts,
  { days }: { readonly days: boolean },
): Promise<RemovedResults | null> {
  return asLeader(parts.database, SWEEP_LOCK, null, async () => {
    const credentials = await parts.store.dropExpiredCredentials();
    const exports = await removeExpired(parts);
    const residues = await removeResidue(parts);
    return {
      credentials,
      exports,
      residues,
      days: days ? await parts.results.removeEmptyDays(await parts.store.days(), new Date()) : 0,
      more: exports === MOST || residues === MOST,
    };
  });
}

/** Their bytes before their rows, so that a sweep that dies leaves nothing without a row (spec/export.md 13.7). */
async function removeExpired({ store, results, log }: RetentionParts): Promise<number> {
  const due = await store.expired(MOST);
  for (const expired of due) {
    await results.removeAll(expired);
    await store.remove(expired.id);
    log.info({ exportId: expired.id }, 'an export was past its time and removed');
  }
  return due.length;
}

/** Removes what runs stored that failed, were cancelled or had to begin again (spec/export.md 13.3). */
async function removeResidue({ store, results, residueSeconds }: RetentionParts): Promise<number> {
  for (let removed = 0; removed < MOST; removed += 1) {
    // one by one: what is taken on and not done, because the process is killed, waits until the export is past its time
    const [left] = await store.takeUncleaned(1, residueSeconds);
    if (left === undefined) return removed;
    try {
      if (left.state === 'completed') {
        await results.removeOthers(
          left,
          (await store.outputs(left.id)).map(({ versionPath }) => versionPath),
        );
      } else await results.removeAll(left);
    } catch (error) {
      await store.uncleaned(left.id);
      throw error;
    }
  }
  return MOST;
}
