import type { ExportQuery } from '../request/export-request.js';
import { downloadStep } from './download-step.js';
import { envStep } from './env-step.js';
import { externalStep } from './external-step.js';
import { fetchStep } from './fetch-step.js';
import type { RunContext } from './run-context.js';
import type { StepOutput } from './step-output.js';
import { tableStep } from './table-step.js';

/** Runs the queries one after another, in the order given; an env query counts for those after it (spec/export.md 5.1). */
export async function* runQueries(queries: readonly ExportQuery[], context: RunContext): AsyncGenerator<StepOutput> {
  for (const [index, query] of queries.entries()) {
    context.signal.throwIfAborted();
    context.meter.startQuery(index + 1);
    yield* runQuery(query, context);
  }
}

async function* runQuery(query: ExportQuery, context: RunContext): AsyncGenerator<StepOutput> {
  switch (query.kind) {
    case 'env':
      return await envStep(query, context);
    case 'table':
      return yield* tableStep(query, context);
    case 'fetch':
      return yield* fetchStep(query, context);
    case 'download':
      return yield* downloadStep(query, context);
    case 'external':
      return yield* externalStep(query, context);
  }
}
