import { AppError } from '@holdfast/http-kit';
import type { ProgressMeter } from '../job/progress-meter.js';
import type { ExternalQuery } from '../request/export-request.js';
import { safeOutputPath } from '../request/output-path.js';
import type { ExternalContext, ExternalOutput } from './external-processor.js';
import { measured } from './measured.js';
import { queryContent } from './paged-query.js';
import type { RunContext } from './run-context.js';
import type { StepOutput } from './step-output.js';
import { readable } from './table-step.js';

/** A processor of the operator's: its outputs obey the same rules as those of the built-in ones (spec/export.md 5.4). */
export async function* externalStep(query: ExternalQuery, context: RunContext): AsyncGenerator<StepOutput> {
  const { variables, provenance, processors } = context;
  const processor = processors.get(query.type);
  // the configuration may have changed since the request was made
  if (processor === undefined) {
    throw new AppError('bad_request', `${query.pointer}: the processor ${query.type} is not registered any more.`);
  }
  const queryPath = variables.queryPath(query.queryPath, `${query.pointer}/query_path`);
  const outputPath = variables.fill(query.outputPath, `${query.pointer}/output_path`);
  provenance.query(queryPath, outputPath);
  const opened: (() => void)[] = [];
  const own = contextOf(query, context, { queryPath, outputPath, opened });
  try {
    for await (const output of processor.run(own)) yield stepOutput(output, query, context, processor.mediaType);
  } finally {
    for (const abandon of opened) abandon();
  }
}

function contextOf(
  query: ExternalQuery,
  context: RunContext,
  made: { readonly queryPath: string; readonly outputPath: string; readonly opened: (() => void)[] },
): ExternalContext {
  const { variables, log, signal, meter } = context;
  return {
    queryPath: made.queryPath,
    outputPath: made.outputPath,
    outputFilename:
      query.outputFilename === null ? null : variables.fill(query.outputFilename, `${query.pointer}/output_filename`),
    params: query.params,
    query: async (queryPath, accept) => {
      const { content, abandon } = await queryContent(context, queryPath, accept, null);
      made.opened.push(abandon);
      return moving(readable(content, queryPath, signal), meter);
    },
    log: (level, message) => log[level](message),
    signal,
  };
}

/** What a processor reads is not what the export makes, but it moves. */
async function* moving(content: AsyncIterable<Uint8Array>, meter: ProgressMeter): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    meter.moved();
    yield chunk;
  }
}

function stepOutput(output: ExternalOutput, query: ExternalQuery, context: RunContext, mediaType: string): StepOutput {
  const path = safeOutputPath(output.path, query.pointer);
  const contentType = output.contentType ?? mediaType;
  if ('url' in output) {
    const { url, length, hashes } = output;
    return { kind: 'references', references: [{ path, url, length, hashes, contentType }] };
  }
  return {
    kind: 'file',
    path,
    contentType,
    bytes: null,
    content: measured(output.content, context.meter, { bytes: 0, lines: 0 }, false),
    expected: null,
    source: query.type,
    alongside: false,
    close: () => undefined,
    stored: () => context.log.info(`${query.type} > ${path}`),
  };
}
