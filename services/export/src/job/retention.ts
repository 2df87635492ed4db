import type { Logger } from '@holdfast/http-kit';
import type { ExpiredExport } from './export-retention.js';
import type { ExportStore } from './export-store.js';

/** Where results are removed; a later stage implements it. */
export interface StoredResults {
  removeAll(stored: ExpiredExport): Promise<void>;
  removeOthers(stored: ExpiredExport, published: readonly string[]): Promise<void>;
  removeEmptyDays(needed: readonly string[], now: Date): Promise<void>;
}

/** What retention needs. */
export interface RetentionParts {
  readonly store: ExportStore;
  readonly results: StoredResults;
  readonly log: Logger;
}

/** Exports of one round: a sweep shall not take for ever. */
const MOST = 100;

/**
 * Removes exports past their time, their bytes before their rows, so that a sweep that dies leaves nothing without a row
 * (spec/export.md 13.7).
 */
export async function removeExpired(parts: RetentionParts): Promise<void> {
  const { store, results, log } = parts;
  for (const expired of await store.expired(MOST)) {
    await results.removeAll(expired);
    await store.remove(expired.id);
    log.info({ exportId: expired.id }, 'an export was past its time and removed');
  }
}

/** Removes what runs stored that failed, were cancelled or had to begin again (spec/export.md 13.3). */
export async function removeResidue(parts: RetentionParts, afterSeconds: number): Promise<void> {
  const { store, results } = parts;
  for (const left of await store.takeUncleaned(MOST, afterSeconds)) {
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
}

/** Removes namespaces of days of which nothing is left. */
export async function removeEmptyDays(parts: RetentionParts): Promise<void> {
  await parts.results.removeEmptyDays(await parts.store.days(), new Date());
}
