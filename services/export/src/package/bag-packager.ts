import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import {
  type Archiver,
  type BagReference,
  type BagWriter,
  createBagWriter,
  type Hashes,
  type ScratchBudget,
} from '@holdfast/bagit';
import type { ExportLog } from '../job/export-log.js';
import type { ProgressMeter } from '../job/progress-meter.js';
import type { BagSettings } from '../request/export-request.js';
import type { Provenance } from '../steps/provenance.js';
import type { FileOutput, StepOutput } from '../steps/step-output.js';
import { packageError } from './package-error.js';
import type { Packager, ResultSink } from './packager.js';
import { sourceList } from './source-list.js';

/** What a bag export is packaged with. */
export interface BagPackagerOptions {
  readonly settings: BagSettings;
  readonly version: '0.97' | '1.0';
  /** Whether there may be references: files are hashed with all algorithms then. */
  readonly references: boolean;
  readonly softwareAgent: string;
  /** URL of the catalog with its snapshot. */
  readonly sourceCatalog: string;
  /** What was asked there. */
  readonly provenance: Provenance;
  /** `export@<host>`, for a request without metadata of its own. */
  readonly sender: string;
  readonly sink: ResultSink;
  readonly scratchDir: string;
  readonly scratchBudget: ScratchBudget;
  readonly log: ExportLog;
  readonly meter: ProgressMeter;
  readonly signal: AbortSignal;
  /** Asks the object store for the hashes of a reference. */
  readonly resolveHashes: (reference: BagReference) => Promise<Hashes>;
}

/** `Content-Type` of a bag (spec/export.md 8.4). */
const TYPES: Readonly<Record<Archiver, string>> = {
  zip: 'application/zip',
  tgz: 'application/gzip',
  bz2: 'application/x-bzip2',
  tar: 'application/x-tar',
};

/** All results in one bag, whose archive streams into the store while the queries run (spec/export.md 8). */
export function bagPackager(options: BagPackagerOptions): Packager {
  const { settings, log, meter, sink } = options;
  const archive = new PassThrough();
  const hasSources = settings.researchObject && !settings.idempotent;
  const sources = sourceList(join(options.scratchDir, 'sources.json'), options.scratchBudget);
  const writer = openWriter(options, archive);
  const path = `${settings.name}.${settings.archiver}`;
  const stored = sink.store({ path, contentType: TYPES[settings.archiver], content: archive, expected: null });
  // the writer waits for a destination that nobody reads any more
  stored.catch((error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))));

  /** What broke the destination is the reason, not that it broke. */
  const reasoned = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      const reason = archive.destroyed
        ? await stored.then(
            () => error,
            (broken: unknown) => broken,
          )
        : error;
      throw packageError(reason);
    }
  };
  const addFile = async (output: FileOutput): Promise<void> => {
    const { path: name, bytes, content, expected } = output;
    try {
      await reasoned(writer.addFile(name, content, { ...(bytes === null ? {} : { bytes }), ...expected }));
    } finally {
      output.close();
    }
    output.stored();
    if (hasSources) await reasoned(sources.add(output, new Date()));
    meter.addFile();
  };
  return {
    add: async (output: StepOutput) => {
      switch (output.kind) {
        case 'file':
          return addFile(output);
        case 'references':
          meter.addReferences(output.references.length);
          return reasoned(writer.addReferences(output.references));
      }
    },
    finish: async () => {
      meter.stage('archive');
      const tagFiles = hasSources
        ? [{ path: 'metadata/manifest.json', content: sources.manifest(options.softwareAgent) }]
        : [];
      const info = [
        ...(settings.metadata === null ? [{ label: 'Internal-Sender-Identifier', value: options.sender }] : []),
        { label: 'Source-Catalog', value: options.sourceCatalog },
        ...options.provenance.entries(),
      ];
      const summary = await reasoned(writer.finish({ info, tagFiles, resolveHashes: options.resolveHashes }));
      for (const warning of summary.warnings) log.warning(warning);
      log.info(
        `bag ${path}: ${summary.files} files, ${summary.references} of them references, ${summary.bytes} bytes, ` +
          `manifests ${summary.algorithms.join(', ')}`,
      );
      await sources.remove();
      meter.stage('publish');
      return [await stored];
    },
    abort: async (reason) => {
      await writer.abort(reason);
      archive.destroy(reason);
      await stored.catch(() => undefined);
      await sources.remove();
    },
  };
}

function openWriter(options: BagPackagerOptions, archive: PassThrough): BagWriter {
  const { settings } = options;
  try {
    return createBagWriter({
      name: settings.name,
      target: { kind: 'archive', archiver: settings.archiver, destination: archive },
      algorithms: settings.algorithms,
      scratchDir: options.scratchDir,
      scratchBudget: options.scratchBudget,
      onProgress: options.meter.moved,
      version: options.version,
      metadata: settings.metadata ?? [],
      idempotent: settings.idempotent,
      strict: settings.strict,
      references: options.references,
      softwareAgent: options.softwareAgent,
      signal: options.signal,
    });
  } catch (error) {
    throw packageError(error);
  }
}
