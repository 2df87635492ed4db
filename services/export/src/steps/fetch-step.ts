import { ALGORITHMS, type Hashes } from '@holdfast/bagit';
import type { ObjectFacts } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import type { JsonRow } from '@holdfast/tabular';
import type { AssetQuery } from '../request/export-request.js';
import { assetPath } from './asset-path.js';
import { type AssetRow, readAssetRow } from './asset-row.js';
import { assetRows, skipCounter } from './asset-rows.js';
import type { AssetUrl } from './asset-url.js';
import type { RunContext } from './run-context.js';
import type { Reference, StepOutput } from './step-output.js';

/** `fetch`: rows become references; nothing is transferred, and rights are not widened (spec/export.md 5.6). */
export async function* fetchStep(query: AssetQuery, context: RunContext): AsyncGenerator<StepOutput> {
  const queryPath = context.variables.queryPath(query.queryPath, `${query.pointer}/query_path`);
  context.provenance.query(queryPath, query.outputPath);
  const skipped = skipCounter(context, queryPath);
  for await (const rows of assetRows(query, context, queryPath)) {
    const plans = rows.flatMap((row) => {
      const asset = readAssetRow(row);
      if (asset.url !== null) return [{ row, asset, url: asset.url, where: context.assets.classify(asset.url) }];
      skipped.skip('it has no url');
      return [];
    });
    const told = await askStore(plans, context);
    const references = plans.map((plan) => referenceOf(query, context, plan, told.get(plan) ?? null));
    yield { kind: 'references', references };
  }
  skipped.close();
}

/** A row that becomes a reference. */
interface Plan {
  readonly row: JsonRow;
  readonly asset: AssetRow;
  readonly url: string;
  readonly where: AssetUrl;
}

/** Requests to the store at a time. */
const AT_A_TIME = 8;

/** What the store tells of the files of which the rows do not say enough. */
async function askStore(plans: readonly Plan[], context: RunContext): Promise<ReadonlyMap<Plan, ObjectFacts>> {
  const told = new Map<Plan, ObjectFacts>();
  const incomplete = plans.filter(({ asset }) => !isComplete(asset));
  for (let from = 0; from < incomplete.length; from += AT_A_TIME) {
    const asked = incomplete.slice(from, from + AT_A_TIME).map(async (plan) => {
      told.set(plan, await context.assets.head(plan.where));
      context.meter.moved();
    });
    await Promise.all(asked);
  }
  return told;
}

/** @param known what the store told; null: it was not asked, because the row says enough */
function referenceOf(query: AssetQuery, context: RunContext, plan: Plan, known: ObjectFacts | null): Reference {
  const { row, asset, url, where } = plan;
  const length = asset.length ?? known?.length ?? null;
  const hashes = { ...(known === null ? {} : hashesOf(known)), ...asset.hashes };
  if (length === null || !ALGORITHMS.some((algorithm) => hashes[algorithm] !== undefined)) {
    const missing = length === null ? 'length' : 'hash';
    throw new AppError('bad_request', `Neither the row nor the server tells a ${missing} of ${JSON.stringify(url)}.`);
  }
  return {
    path: assetPath(query, context, row, asset, known?.fileName ?? null),
    url: referenceUrl(where, known?.versionPath ?? null),
    length,
    hashes,
    contentType: asset.contentType ?? known?.contentType ?? null,
  };
}

function isComplete({ length, hashes }: AssetRow): boolean {
  return length !== null && Object.keys(hashes).length > 0;
}

function hashesOf(known: { readonly md5: string | null; readonly sha256: string | null }): Hashes {
  return {
    ...(known.md5 === null ? {} : { md5: known.md5 }),
    ...(known.sha256 === null ? {} : { sha256: known.sha256 }),
  };
}

/** Absolute, and of a version where one was found out, so that it stays true. */
function referenceUrl(where: AssetUrl, versionPath: string | null): string {
  if (where.kind === 'external') return where.url;
  return versionPath === null ? where.publicUrl : new URL(versionPath, where.publicUrl).href;
}
