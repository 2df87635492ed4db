import { AppError } from '@holdfast/http-kit';
import { readJsonRows } from '@holdfast/tabular';
import type { EnvQuery } from '../request/export-request.js';
import { type QueryContent, queryContent } from './paged-query.js';
import { queryLog } from './query-log.js';
import type { RunContext } from './run-context.js';
import { readable } from './table-step.js';
import { upstreamError } from './upstream-error.js';

/** Bytes of the one row that is read. */
const MOST_ROW_BYTES = 1024 * 1024;

/** `env`: the first row gives variables to the queries that follow (spec/export.md 5.2). */
export async function envStep(query: EnvQuery, context: RunContext): Promise<void> {
  const { catalog, variables, log, meter, provenance } = context;
  const queryPath = variables.queryPath(query.queryPath, `${query.pointer}/query_path`);
  provenance.query(queryPath, null);
  const logQuery = queryLog(context, queryPath);
  const answer = await queryContent(context, queryPath, 'application/json', null);
  const row = await firstRow(answer, queryPath, context.signal);
  if (row === null) {
    logQuery(answer, { rows: 0, bytes: null }, '');
    log.warning(`${catalog.url}${queryPath} has no row; no variable was set`);
    return;
  }
  meter.addRows(1);
  const keys = query.keys ?? Object.keys(row);
  for (const key of keys) {
    if (!Object.hasOwn(row, key)) {
      throw new AppError(
        'bad_variable',
        `${query.pointer}/query_keys names ${JSON.stringify(key)}, which ${queryPath} does not return.`,
      );
    }
    variables.set(key, row[key]);
  }
  logQuery(answer, { rows: 1, bytes: null }, `, variables ${keys.join(', ')}`);
}

async function firstRow(
  answer: QueryContent,
  queryPath: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    for await (const row of readJsonRows(readable(answer.content, queryPath, signal), 'json', {
      maxRowBytes: MOST_ROW_BYTES,
    })) {
      return row;
    }
    return null;
  } catch (error) {
    throw upstreamError(error, `Reading ${queryPath}`);
  } finally {
    // the rest of the rows is not wanted
    answer.abandon();
  }
}
