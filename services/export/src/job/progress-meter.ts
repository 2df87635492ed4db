import { AppError } from '@holdfast/http-kit';
import { type ExportProgress, initialProgress } from './export-record.js';

/** Limits of what one export may make (spec/export.md 1). */
export interface OutputLimits {
  /** 0: none. */
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly maxFetchEntries: number;
}

/** Counts what an export does; everything that moves passes by here, so standing still shows. */
export interface ProgressMeter {
  current(): ExportProgress;
  /** Of `performance.now()`, when something moved last. */
  lastMoved(): number;
  startQuery(number: number): void;
  /** How many bytes the query at work will give; null where nobody says. */
  expect(bytes: number | null): void;
  stage(stage: ExportProgress['stage']): void;
  /** Bytes read from catalog and object store. @throws {AppError} `too_large_output` */
  addBytes(count: number): void;
  addRows(count: number): void;
  /** @throws {AppError} `too_large_output` */
  addFile(): void;
  /** @throws {AppError} `too_large_output` */
  addReferences(count: number): void;
  /** Something went on that is not counted: bytes into scratch, archive or store, an answer about a reference. */
  moved(): void;
}

/** A meter at zero. */
export function progressMeter(queries: number, limits: OutputLimits): ProgressMeter {
  let progress = initialProgress(queries);
  let references = 0;
  let last = performance.now();
  let expected: { readonly from: number; readonly bytes: number } | null = null;
  const change = (part: Partial<ExportProgress>): void => {
    progress = { ...progress, ...part };
    last = performance.now();
  };
  /** Part of the query at work that is done; null: nobody knows how much it is. */
  const partDone = (): number | null => {
    if (progress.stage === 'archive' || progress.stage === 'publish') return 1;
    return expected === null ? null : Math.min(1, (progress.bytes - expected.from) / Math.max(1, expected.bytes));
  };
  return {
    current: () => ({ ...progress, percent: percentOf(progress.query, queries, partDone()) }),
    lastMoved: () => last,
    startQuery: (query) => {
      expected = null;
      change({ query, stage: 'query' });
    },
    expect: (bytes) => {
      expected = bytes === null ? null : { from: progress.bytes, bytes };
    },
    stage: (stage) => change({ stage }),
    addBytes: (count) => {
      change({ bytes: progress.bytes + count });
      if (limits.maxBytes > 0 && progress.bytes > limits.maxBytes) throw tooLarge(`${limits.maxBytes} bytes`);
    },
    addRows: (count) => change({ rows: progress.rows + count }),
    addFile: () => {
      change({ files: progress.files + 1 });
      if (progress.files > limits.maxFiles) throw tooLarge(`${limits.maxFiles} files`);
    },
    addReferences: (count) => {
      references += count;
      change({});
      if (references > limits.maxFetchEntries) throw tooLarge(`${limits.maxFetchEntries} references`);
    },
    moved: () => {
      last = performance.now();
    },
  };
}

/**
 * Queries count the same. How far the one at work is counts where its length is known; a single query of unknown length has no percentage.
 * 100 is for exports that are published.
 */
function percentOf(query: number, queries: number, part: number | null): number | null {
  if (query === 0 || (queries === 1 && part === null)) return null;
  return Math.min(99, Math.floor((100 * (query - 1 + (part ?? 0))) / queries));
}

function tooLarge(limit: string): AppError {
  return new AppError(
    'too_large_output',
    `The export passes the limit of ${limit}; ask for less, or in several exports.`,
  );
}
