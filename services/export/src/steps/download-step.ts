import { ALGORITHMS, type Algorithm } from '@holdfast/bagit';
import type { ObjectFacts } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import type { JsonRow } from '@holdfast/tabular';
import type { AssetQuery } from '../request/export-request.js';
import { assetPath } from './asset-path.js';
import { type AssetRow, readAssetRow } from './asset-row.js';
import { assetRows, skipCounter } from './asset-rows.js';
import type { OpenAsset } from './asset-source.js';
import type { AssetUrl } from './asset-url.js';
import { type Measure, measured } from './measured.js';
import { readAhead } from './read-ahead.js';
import type { RunContext } from './run-context.js';
import type { Expected, StepOutput } from './step-output.js';
import { readable } from './table-step.js';

/** Files on their way at a time (spec/export.md 5.5). */
const AT_A_TIME = 4;

/** Bytes of a file that is read ahead into memory while another one is being written into an archive. */
const SMALL = 1024 * 1024;

/**
 * `download`: the files that rows point at, checked against what row and server say (spec/export.md 5.5). In a file export the next ones are
 * asked for while others are on their way; in an archive, which has one entry open at a time, small ones are read ahead.
 */
export async function* downloadStep(query: AssetQuery, context: RunContext): AsyncGenerator<StepOutput> {
  const queryPath = context.variables.queryPath(query.queryPath, `${query.pointer}/query_path`);
  context.provenance.query(queryPath, query.outputPath);
  for await (const { plan, open } of openDownloads(query, context, queryPath)) {
    const { row, asset, where, url } = plan;
    const { facts, content, abandon } = await open();
    let given = false;
    try {
      const path = assetPath(query, context, row, asset, facts.fileName);
      // spec/export.md 6.2: the same file twice is one, whichever query asks for it
      const publicUrl = where.kind === 'own' ? where.publicUrl : where.url;
      if (context.downloaded.get(path) === publicUrl) continue;
      context.downloaded.set(path, publicUrl);
      const measure: Measure = { bytes: 0, lines: 0 };
      given = true;
      yield {
        kind: 'file',
        path,
        contentType: asset.contentType ?? facts.contentType,
        bytes: facts.length,
        content: measured(readable(content, url, context.signal), context.meter, measure, false),
        expected: expectedOf(asset, facts),
        source: publicUrl,
        alongside: true,
        close: abandon,
        stored: () => context.log.info(`${url}: ${measure.bytes} bytes > ${path}`),
      };
    } finally {
      if (!given) abandon();
    }
  }
}

/** A row with a file to be read. */
interface Plan {
  readonly row: JsonRow;
  readonly asset: AssetRow;
  readonly url: string;
  readonly where: AssetUrl;
}

/** A file whose turn may still have to come. */
interface Download {
  readonly plan: Plan;
  readonly open: () => Promise<OpenAsset>;
  readonly drop: () => void;
}

async function* openDownloads(query: AssetQuery, context: RunContext, queryPath: string): AsyncGenerator<Download> {
  const plans = planned(query, context, queryPath);
  if (context.target === 'archive') {
    yield* readAhead(
      plans,
      AT_A_TIME - 1,
      (plan) => smallAhead(plan, context),
      ({ drop }) => drop(),
    );
  } else for await (const plan of plans) yield inTurn(plan, context);
}

async function* planned(query: AssetQuery, context: RunContext, queryPath: string): AsyncGenerator<Plan> {
  const skipped = skipCounter(context, queryPath);
  for await (const rows of assetRows(query, context, queryPath)) {
    for (const row of rows) {
      const asset = readAssetRow(row);
      const { url } = asset;
      if (url === null) skipped.skip('it has no url');
      else {
        context.meter.stage('transfer');
        yield { row, asset, url, where: context.assets.classify(url) };
      }
    }
  }
  skipped.close();
}

function inTurn(plan: Plan, context: RunContext): Download {
  return { plan, open: () => context.assets.get(plan.where), drop: () => undefined };
}

/** Reads a small file at once; a larger one is asked for when its turn comes. */
async function smallAhead(plan: Plan, context: RunContext): Promise<Download> {
  const { length } = plan.asset;
  if (length !== null && length > SMALL) return inTurn(plan, context);
  const { facts, content, abandon } = await context.assets.get(plan.where);
  if (facts.length === null || facts.length > SMALL) {
    abandon();
    return inTurn(plan, context);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of readable(content, plan.url, context.signal)) {
      bytes += chunk.byteLength;
      // more than announced: that is found out when it is checked
      if (bytes > SMALL) break;
      chunks.push(chunk);
    }
  } finally {
    abandon();
  }
  const whole: OpenAsset = { facts, content: allOf(chunks), abandon: () => undefined };
  return { plan, open: async () => whole, drop: () => undefined };
}

async function* allOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Length and hashes that row and server announced. */
function expectedOf(asset: AssetRow, facts: ObjectFacts): Expected {
  const wanted = ALGORITHMS.flatMap((algorithm) => wantedHashes(algorithm, asset, facts));
  return {
    algorithms: [...new Set(wanted.map(({ algorithm }) => algorithm))],
    verify: ({ bytes, hashes }) => {
      for (const length of [asset.length, facts.length]) {
        if (length !== null && length !== bytes) {
          throw new AppError('upstream_failed', `${asset.url} has ${bytes} bytes instead of ${length}.`);
        }
      }
      for (const { algorithm, value } of wanted) {
        if (hashes[algorithm] === value) continue;
        throw new AppError(
          'upstream_failed',
          `${asset.url} has another ${algorithm} than ${value}, which was announced.`,
        );
      }
    },
  };
}

function wantedHashes(algorithm: Algorithm, asset: AssetRow, facts: ObjectFacts) {
  const announced = algorithm === 'md5' ? facts.md5 : algorithm === 'sha256' ? facts.sha256 : null;
  return [asset.hashes[algorithm], announced].flatMap((value) =>
    value === null || value === undefined ? [] : [{ algorithm, value }],
  );
}
