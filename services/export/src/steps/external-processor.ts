import { pathToFileURL } from 'node:url';
import type { Hashes } from '@holdfast/bagit';

/** A processor that the operator adds (spec/export.md 5.4): what the module's export `processor` must be. */
export interface ExternalProcessor {
  /** Of its files, where an output names none. */
  readonly mediaType: string;
  /** Called once for each query that names it. The outputs are taken one after another, each read to its end before the next. */
  run(context: ExternalContext): AsyncIterable<ExternalOutput>;
}

/** What a processor works with. */
export interface ExternalContext {
  /** Of the request, with its variables put in. */
  readonly queryPath: string;
  /** Directory of its outputs, with its variables put in; may be empty. */
  readonly outputPath: string;
  /** Null: the request names none. */
  readonly outputFilename: string | null;
  /** `processor_params` as the request has them. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Asks the catalog as the caller, at the snapshot of the export. */
  query(
    queryPath: string,
    accept: 'text/csv' | 'application/json' | 'application/x-json-stream',
  ): Promise<AsyncIterable<Uint8Array>>;
  /** Writes a line into the log of the export. */
  log(level: 'info' | 'warning', message: string): void;
  /** Fires when the export ends early. */
  readonly signal: AbortSignal;
}

/** A file with content, or one that stays where it is (an entry of `fetch.txt`). Paths are those of the export, checked like all others. */
export type ExternalOutput =
  | {
      readonly path: string;
      readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
      readonly contentType?: string;
    }
  | {
      readonly path: string;
      /** Absolute. */
      readonly url: string;
      readonly length: number;
      readonly hashes: Hashes;
      readonly contentType?: string;
    };

/**
 * Loads the modules that the configuration names. Nothing of a request is ever loaded.
 * @param modules by `processor_type`: a package, or the absolute path of a file
 * @throws {TypeError} when one is not what it must be: that is known when the service starts
 */
export async function loadProcessors(
  modules: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, ExternalProcessor>> {
  const loaded = new Map<string, ExternalProcessor>();
  for (const [type, specifier] of Object.entries(modules)) {
    const found: unknown = await import(specifier.startsWith('/') ? pathToFileURL(specifier).href : specifier);
    const processor = typeof found === 'object' && found !== null ? Reflect.get(found, 'processor') : undefined;
    if (!isProcessor(processor)) {
      throw new TypeError(
        `EXTERNAL_PROCESSORS: ${specifier}, for ${type}, must export "processor" with a string "mediaType" and a function "run".`,
      );
    }
    loaded.set(type, processor);
  }
  return loaded;
}

function isProcessor(value: unknown): value is ExternalProcessor {
  if (typeof value !== 'object' || value === null) return false;
  return typeof Reflect.get(value, 'mediaType') === 'string' && typeof Reflect.get(value, 'run') === 'function';
}
