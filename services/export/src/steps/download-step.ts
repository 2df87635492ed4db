import { createHash } from 'node:crypto';
import { ALGORITHMS, type Algorithm } from '@holdfast/bagit';
import type { ObjectFacts } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import type { AssetQuery } from '../request/export-request.js';
import { assetPath } from './asset-path.js';
import { type AssetRow, readAssetRow } from './asset-row.js';
import { assetRows, skipCounter } from './asset-rows.js';
import { type Measure, measured } from './measured.js';
import type { RunContext } from './run-context.js';
import type { StepOutput } from './step-output.js';
import { readable } from './table-step.js';

/** `download`: the files that rows point at, one after another, checked against what row and server say (spec/export.md 5.5). */
export async function* downloadStep(query: AssetQuery, context: RunContext): AsyncGenerator<StepOutput> {
  const queryPath = context.variables.queryPath(query.queryPath, `${query.pointer}/query_path`);
  yield { kind: 'note', label: 'Source-Query', value: `${queryPath} > ${query.outputPath}` };
  const skipped = skipCounter(context, queryPath);
  const urls = new Map<string, string>();
  for await (const row of assetRows(query, context, queryPath)) {
    const asset = readAssetRow(row);
    if (asset.url === null) {
      skipped.skip('it has no url');
      continue;
    }
    const where = context.assets.classify(asset.url);
    context.meter.stage('transfer');
    const { facts, body, abandon } = await context.assets.get(where);
    try {
      const path = assetPath(query, context, row, asset, facts.fileName);
      // spec/export.md 6.2: the same file twice is one
      if (urls.get(path) === asset.url) continue;
      urls.set(path, asset.url);
      yield {
        kind: 'file',
        path,
        contentType: asset.contentType ?? facts.contentType,
        bytes: facts.length,
        content: checked(readable(body, asset.url, context.signal), { asset, facts, path, context }),
        source: where.kind === 'own' ? where.publicUrl : where.url,
      };
    } finally {
      abandon();
    }
  }
  skipped.close();
}

interface Expectation {
  readonly asset: AssetRow;
  readonly facts: ObjectFacts;
  readonly path: string;
  readonly context: RunContext;
}

/** The content, which ends with an error when it has another length or hash than announced. */
async function* checked(content: AsyncIterable<Uint8Array>, expected: Expectation): AsyncGenerator<Uint8Array> {
  const { asset, facts, path, context } = expected;
  const wanted = ALGORITHMS.flatMap((algorithm) => wantedHashes(algorithm, asset, facts));
  const hashes = new Map(
    [...new Set(wanted.map(({ algorithm }) => algorithm))].map((name) => [name, createHash(name)]),
  );
  const measure: Measure = { bytes: 0, lines: 0 };
  for await (const chunk of measured(content, context.meter, measure, false)) {
    for (const hash of hashes.values()) hash.update(chunk);
    yield chunk;
  }
  for (const length of [asset.length, facts.length]) {
    if (length !== null && length !== measure.bytes) {
      throw new AppError('upstream_failed', `${asset.url} has ${measure.bytes} bytes instead of ${length}.`);
    }
  }
  const digests = new Map([...hashes].map(([name, hash]) => [name, hash.digest('hex')]));
  for (const { algorithm, value } of wanted) {
    if (digests.get(algorithm) === value) continue;
    throw new AppError('upstream_failed', `${asset.url} has another ${algorithm} than ${value}, which was announced.`);
  }
  context.log.info(`${asset.url}: ${measure.bytes} bytes > ${path}`);
}

function wantedHashes(algorithm: Algorithm, asset: AssetRow, facts: ObjectFacts) {
  const announced = algorithm === 'md5' ? facts.md5 : algorithm === 'sha256' ? facts.sha256 : null;
  return [asset.hashes[algorithm], announced].flatMap((value) =>
    value === null || value === undefined ? [] : [{ algorithm, value }],
  );
}
