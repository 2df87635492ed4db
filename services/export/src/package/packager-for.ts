import type { BagReference, Hashes, ScratchBudget } from '@holdfast/bagit';
import type { ExportRecord } from '../job/export-record.js';
import type { RunContext } from '../steps/run-context.js';
import { bagPackager } from './bag-packager.js';
import { filePackager } from './file-packager.js';
import type { Packager, ResultSink } from './packager.js';

/** What packaging needs to know of a run. */
export interface PackagerOptions {
  readonly record: ExportRecord;
  readonly context: RunContext;
  readonly sink: ResultSink;
  readonly scratchDir: string;
  /** Of the worker: all its runs share it. */
  readonly scratchBudget: ScratchBudget;
  /** How the service calls itself. */
  readonly softwareAgent: string;
  readonly config: { readonly BAG_VERSION: '0.97' | '1.0' };
}

/** The packager an export asks for. */
export function packagerFor(options: PackagerOptions): Packager {
  const { record, context, sink, scratchDir, scratchBudget, config } = options;
  const { log, meter } = context;
  const settings = record.request.bag;
  if (settings === null) return filePackager({ sink, scratchDir, scratchBudget, log, meter });
  return bagPackager({
    settings,
    version: config.BAG_VERSION,
    references: record.request.queries.some(({ kind }) => kind === 'fetch' || kind === 'external'),
    softwareAgent: options.softwareAgent,
    sourceCatalog: context.catalog.url,
    provenance: context.provenance,
    sender: `export@${new URL(record.exportUrl).host}`,
    sink,
    scratchDir,
    scratchBudget,
    log,
    meter,
    signal: context.signal,
    resolveHashes: (reference) => resolveHashes(context, reference),
  });
}

/** Hashes that the object store knows of a reference (spec/export.md 8.3); none of a file elsewhere. */
async function resolveHashes(context: RunContext, reference: BagReference): Promise<Hashes> {
  const where = context.assets.classify(reference.url);
  if (where.kind === 'external') return {};
  const { md5, sha256 } = await context.assets.head(where);
  return { ...(md5 === null ? {} : { md5 }), ...(sha256 === null ? {} : { sha256 }) };
}
