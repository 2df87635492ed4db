import { type JsonRow, readJsonRowBatches } from '@holdfast/tabular';
import type { AssetQuery } from '../request/export-request.js';
import { queryContent } from './paged-query.js';
import { queryLog } from './query-log.js';
import type { RunContext } from './run-context.js';
import { readable } from './table-step.js';
import { upstreamError } from './upstream-error.js';

/** Bytes of one row (spec/export.md 13.6). */
const MOST_ROW_BYTES = 1024 * 1024;

/** Rows of which the log tells one by one that they were passed over. */
const MOST_TOLD = 20;

/** The rows of a query for steps that look at them, those of each chunk together. */
export async function* assetRows(
  query: AssetQuery,
  context: RunContext,
  queryPath: string,
): AsyncGenerator<readonly JsonRow[], void, undefined> {
  const { meter, signal } = context;
  const logQuery = queryLog(context, queryPath);
  const answer = await queryContent(context, queryPath, 'application/x-json-stream', query.paging);
  let rows = 0;
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readable(answer.content, queryPath, signal)) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  try {
    const batches = readJsonRowBatches(counted(), 'json-stream', {
      maxRowBytes: MOST_ROW_BYTES,
    });
    for await (const batch of batches) {
      rows += batch.length;
      meter.addRows(batch.length);
      yield batch;
    }
    logQuery(answer, { rows, bytes }, ` for ${query.kind}`);
  } catch (error) {
    throw upstreamError(error, `Reading ${queryPath}`);
  } finally {
    answer.abandon();
  }
}

/** Says of rows that they were passed over: the first ones each, then how many. */
export function skipCounter(context: RunContext, queryPath: string) {
  let count = 0;
  return {
    skip: (why: string): void => {
      count += 1;
      if (count <= MOST_TOLD) context.log.warning(`${queryPath}: a row was passed over: ${why}`);
    },
    close: (): void => {
      if (count > MOST_TOLD) context.log.warning(`${queryPath}: ${count} rows were passed over`);
    },
  };
}
