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
  stage(stage: ExportProgress['stage']): void;
  /** @throws {AppError} `too_large_output` */
  addBytes(count: number): void;
  addRows(count: number): void;
  /** @throws {AppError} `too_large_output` */
  addFile(): void;
  /** @throws {AppError} `too_large_output` */
  addReference(): void;
  /** Something happened that has no number. */
  moved(): void;
}

/** A meter at zero. */
export function progressMeter(queries: number, limits: OutputLimits): ProgressMeter {
  let progress = initialProgress(queries);
  let references = 0;
  let last = performance.now();
  const change = (part: Partial<ExportProgress>): void => {
    progress = { ...progress, ...part };
    last = performance.now();
  };
  return {
    current: () => progress,
    lastMoved: () => last,
    startQuery: (query) => change({ query, stage: 'query' }),
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
    addReference: () => {
      references += 1;
      change({});
      if (references > limits.maxFetchEntries) throw tooLarge(`${limits.maxFetchEntries} references`);
    },
    moved: () => change({}),
  };
}

function tooLarge(limit: string): AppError {
  return new AppError(
    'too_large_output',
    `The export passes the limit of ${limit}; ask for less, or in several exports.`,
  );
}
