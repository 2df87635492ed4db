import type { QueryContent } from './paged-query.js';
import type { RunContext } from './run-context.js';

/** Numbers of a query that was read to its end; null where they are not known. */
export interface QueryNumbers {
  readonly rows: number | null;
  readonly bytes: number | null;
}

/**
 * Begins the log line of a query (spec/export.md 10.4): the URL after interpolation, status, rows, bytes, seconds.
 * @returns writes the line
 */
export function queryLog(
  context: RunContext,
  queryPath: string,
): (answer: Pick<QueryContent, 'status'>, numbers: QueryNumbers, more: string) => void {
  const started = performance.now();
  return ({ status }, { rows, bytes }, more) => {
    const facts = [
      `status ${status}`,
      ...(rows === null ? [] : [`${rows} rows`]),
      ...(bytes === null ? [] : [`${bytes} bytes`]),
      `${((performance.now() - started) / 1000).toFixed(3)} s`,
    ];
    context.log.info(`${context.catalog.url}${queryPath}: ${facts.join(', ')}${more}`);
  };
}
