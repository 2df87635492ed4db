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
    const references: Reference[] = [];
    for (const row of rows) {
      const asset = readAssetRow(row);
      if (asset.url === null) skipped.skip('it has no url');
      else {
        const where = context.assets.classify(asset.url);
        // waits only where the store has to be asked: there are millions of others
        const known = isComplete(asset) ? null : await ask(context, where);
        references.push(referenceOf({ query, context, row, asset, url: asset.url, where, known }));
      }
    }
    yield { kind: 'references', references };
  }
  skipped.close();
}

async function ask({ assets, meter }: RunContext, where: AssetUrl): Promise<ObjectFacts> {
  const known = await assets.head(where);
  meter.moved();
  return known;
}

interface Found {
  readonly query: AssetQuery;
  readonly context: RunContext;
  readonly row: JsonRow;
  readonly asset: AssetRow;
  readonly url: string;
  readonly where: AssetUrl;
  /** Null: it was not asked, because the row says enough. */
  readonly known: ObjectFacts | null;
}

function referenceOf({ query, context, row, asset, url, where, known }: Found): Reference {
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
