import { MEDIA_TYPES } from '@holdfast/tabular';
import type { TableQuery } from '../request/export-request.js';
import { tableOutputPath } from '../request/output-path.js';
import { type Measure, measured, peek } from './measured.js';
import { queryContent } from './paged-query.js';
import { queryLog } from './query-log.js';
import type { RunContext } from './run-context.js';
import type { StepOutput } from './step-output.js';
import { upstreamError } from './upstream-error.js';

/** `csv`, `json`, `json-stream`: the bytes of the catalog as they come (spec/export.md 5.3). */
export async function* tableStep(query: TableQuery, context: RunContext): AsyncGenerator<StepOutput> {
  const { catalog, variables, log, provenance, meter } = context;
  const pointer = `${query.pointer}/output_path`;
  const queryPath = variables.queryPath(query.queryPath, `${query.pointer}/query_path`);
  const path = tableOutputPath(variables.fill(query.outputPath, pointer), query.format, pointer);
  const contentType = MEDIA_TYPES[query.format];
  provenance.query(queryPath, path);
  const logQuery = queryLog(context, queryPath);
  const answer = await queryContent(context, queryPath, asRowFormat(contentType), query.paging);
  meter.expect(answer.length);

  const measure: Measure = { bytes: 0, lines: 0 };
  const isLined = query.format !== 'json';
  const body = readable(answer.content, queryPath, context.signal);
  const content = measured(body, meter, measure, isLined);
  const done = (): void => {
    const rows = query.format === 'csv' ? Math.max(0, measure.lines - 1) : measure.lines;
    logQuery(answer, { rows: isLined ? rows : null, bytes: measure.bytes }, ` > ${path}`);
  };
  const { content: whole, isEmpty } =
    context.emptyResults === 'omit' ? await peek(content, query.format) : { content, isEmpty: false };
  if (isEmpty) {
    answer.abandon();
    done();
    log.info(`${path} is empty and left out`);
    return;
  }
  yield {
    kind: 'file',
    path,
    contentType,
    bytes: answer.length,
    content: whole,
    expected: null,
    source: `${catalog.url}${queryPath}`,
    alongside: false,
    close: answer.abandon,
    stored: done,
  };
}

/** The bytes of a body, whose failures say what they are. */
export async function* readable(
  body: AsyncIterable<Uint8Array>,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    signal.throwIfAborted();
    throw upstreamError(error, `Reading ${what}`);
  }
}

function asRowFormat(type: string): 'text/csv' | 'application/json' | 'application/x-json-stream' {
  return type === 'text/csv' || type === 'application/json' ? type : 'application/x-json-stream';
}
