import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type WireProfileName, wireProfile } from '@holdfast/http-kit';
import { findRunningStack } from '../running-stack-file.js';
import { defaultDataDir, type RunningStack, startStack } from '../stack.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** The server that the demo works on. */
export interface Place {
  readonly url: string;
  /** How the place was chosen, in words. */
  readonly words: string;
  readonly prefixes: { readonly catalog: string; readonly objectStore: string; readonly export: string };
  /** Known for a stack on this machine. */
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
  /** A stack that the demo has started. */
  readonly own: RunningStack | null;
  /** A directory for what is downloaded; it goes away with `close`. */
  readonly scratch: string;
  close(): Promise<void>;
}

export interface PlaceOptions {
  /** A server to use, whoever runs it. */
  readonly url: string | null;
  /** Start a stack on this port; 0: any free one. Null: use the stack of this workspace if it runs, or start one. */
  readonly port: number | null;
  /** Of a stack that is started. */
  readonly wireProfile: WireProfileName;
  readonly signal: AbortSignal;
}

/**
 * Finds a server, or starts a stack on a free port with its data in a temporary directory, which `close` stops and deletes.
 * @throws {StackError} when it does not start
 */
export async function findPlace(options: PlaceOptions): Promise<Place> {
  const scratch = await temporaryDirectory('holdfast-demo-');
  try {
    return await placeWith(scratch, options);
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    throw error;
  }
}

async function placeWith(scratch: string, options: PlaceOptions): Promise<Place> {
  const running = options.port === null ? findRunningStack(defaultDataDir) : null;
  const close = (): Promise<void> => rm(scratch, { recursive: true, force: true });
  if (options.url !== null) {
    const { origin } = new URL(options.url);
    const local = running !== null && sameOrigin(running.url, origin) ? running : null;
    return {
      url: origin,
      words: local === null ? 'the server named' : `the stack that runs here, ${local.wireProfile} profile`,
      // these answer in both profiles
      prefixes: prefixesOf(local?.wireProfile ?? 'standard'),
      processes: local?.processes ?? [],
      own: null,
      scratch,
      close,
    };
  }
  if (running !== null) {
    return {
      url: running.url,
      words: `the stack that runs here, ${running.wireProfile} profile`,
      prefixes: prefixesOf(running.wireProfile),
      processes: running.processes,
      own: null,
      scratch,
      close,
    };
  }
  return ownPlace(scratch, options);
}

async function ownPlace(scratch: string, options: PlaceOptions): Promise<Place> {
  const stack = await startStack({
    dataDir: join(scratch, 'data'),
    port: options.port ?? 0,
    wireProfile: options.wireProfile,
    signal: options.signal,
  });
  return {
    url: stack.url,
    words: `a stack of its own, ${options.wireProfile} profile`,
    prefixes: prefixesOf(options.wireProfile),
    processes: stack.processes,
    own: stack,
    scratch,
    async close() {
      await stack.stop();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

function prefixesOf(name: WireProfileName): Place['prefixes'] {
  const { catalogPrefixes, objectStorePrefixes, exportPrefixes } = wireProfile(name);
  return {
    catalog: catalogPrefixes[0] ?? '',
    objectStore: objectStorePrefixes[0] ?? '',
    export: exportPrefixes[0] ?? '',
  };
}

function sameOrigin(left: string, right: string): boolean {
  return new URL(left).origin === new URL(right).origin;
}
