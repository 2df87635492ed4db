import { PassThrough } from 'node:stream';
import {
  type Archiver,
  type BagInfoEntry,
  type BagReference,
  type BagWriter,
  createBagWriter,
  type Hashes,
} from '@holdfast/bagit';
import type { ExportLog } from '../job/export-log.js';
import type { ProgressMeter } from '../job/progress-meter.js';
import type { BagSettings } from '../request/export-request.js';
import type { StepOutput } from '../steps/step-output.js';
import { packageError } from './package-error.js';
import type { Packager, ResultSink } from './packager.js';

/** What a bag export is packaged with. */
export interface BagPackagerOptions {
  readonly settings: BagSettings;
  readonly version: '0.97' | '1.0';
  /** Whether the request has `fetch` queries: files are hashed with all algorithms then. */
  readonly references: boolean;
  readonly softwareAgent: string;
  /** First lines about the source. */
  readonly sourceCatalog: string;
  /** `export@<host>`, for a request without metadata of its own. */
  readonly sender: string;
  readonly sink: ResultSink;
  readonly scratchDir: string;
  readonly scratchQuota: number;
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
  const notes: BagInfoEntry[] = [];
  const sources: FileSource[] = [];
  const writer = openWriter(options, archive);
  const path = `${settings.name}.${settings.archiver}`;
  const stored = sink.store({ path, contentType: TYPES[settings.archiver], content: archive });
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
  return {
    add: async (output: StepOutput) => {
      switch (output.kind) {
        case 'file': {
          const known = output.bytes === null ? {} : { bytes: output.bytes };
          try {
            await reasoned(writer.addFile(output.path, output.content, known));
          } finally {
            output.close();
          }
          output.stored();
          if (settings.researchObject) sources.push({ output, retrieved: new Date() });
          return meter.addFile();
        }
        case 'reference':
          meter.addReference();
          return reasoned(writer.addReference(output));
        case 'note':
          notes.push({ label: output.label, value: output.value });
          return;
      }
    },
    finish: async () => {
      meter.stage('archive');
      const tagFiles =
        settings.researchObject && !settings.idempotent
          ? [{ path: 'metadata/manifest.json', content: researchObject(sources, options.softwareAgent) }]
          : [];
      const info = [
        ...(settings.metadata === null ? [{ label: 'Internal-Sender-Identifier', value: options.sender }] : []),
        { label: 'Source-Catalog', value: options.sourceCatalog },
        ...notes,
      ];
      const summary = await reasoned(writer.finish({ info, tagFiles, resolveHashes: options.resolveHashes }));
      for (const warning of summary.warnings) log.warning(warning);
      log.info(
        `bag ${path}: ${summary.files} files, ${summary.references} of them references, ${summary.bytes} bytes, ` +
          `manifests ${summary.algorithms.join(', ')}`,
      );
      meter.stage('publish');
      return [await stored];
    },
    abort: async (reason) => {
      await writer.abort(reason);
      archive.destroy(reason);
      await stored.catch(() => undefined);
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
      scratchQuota: options.scratchQuota,
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

interface FileSource {
  readonly output: Extract<StepOutput, { readonly kind: 'file' }>;
  readonly retrieved: Date;
}

/** A research object manifest: where each file came from and when (spec/export.md 2.4, `bag_ro`). */
async function* researchObject(sources: readonly FileSource[], agent: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(
    `${JSON.stringify({
      '@context': ['https://w3id.org/bundle/context'],
      '@id': '../',
      createdBy: { name: agent },
      aggregates: sources.map(({ output, retrieved }) => ({
        uri: `../data/${output.path.split('/').map(encodeURIComponent).join('/')}`,
        mediatype: output.contentType,
        retrievedFrom: output.source,
        retrievedOn: retrieved.toISOString(),
      })),
    })}\n`,
  );
}
