import type { Writable } from 'node:stream';
import type { Algorithm, Hashes } from './algorithms.js';
import type { BagInfoEntry } from './bag-info.js';
import type { ScratchBudget } from './scratch.js';
import type { WritableVersion } from './version.js';

export const ARCHIVERS = ['zip', 'tgz', 'bz2', 'tar'] as const;
export type Archiver = (typeof ARCHIVERS)[number];

export type BagTarget =
  /** The writer ends `destination` when the bag is whole and verified, and destroys it in every other case. */
  | { readonly kind: 'archive'; readonly archiver: Archiver; readonly destination: Writable }
  /** The bag becomes the new directory `<parent>/<name>`. */
  | { readonly kind: 'directory'; readonly parent: string };

export interface BagWriterOptions {
  /** of the bag: the top directory */
  readonly name: string;
  readonly target: BagTarget;
  /** for the manifests; with references the choice may end differently, see {@link BagSummary.algorithms} */
  readonly algorithms: readonly Algorithm[];
  /** an existing directory; what is made in it is gone when the bag is finished or aborted */
  readonly scratchDir: string;
  /** default: no limit */
  readonly scratchBudget?: ScratchBudget;
  /** default 1.0 */
  readonly version?: WritableVersion;
  /** first lines of bag-info.txt, in this order */
  readonly metadata?: readonly BagInfoEntry[];
  /** the same input gives the same bytes: times of 1980, no Bagging-Date */
  readonly idempotent?: boolean;
  /** default true: a bag without payload is an error */
  readonly strict?: boolean;
  /**
   * Whether `addReference` will be called. Then files are hashed with all algorithms, because which of them the references
   * share is known only at the end (spec/export.md 8.3).
   */
  readonly references?: boolean;
  /** default `safe`: paths as spec/export.md 6.1 asks; `verbatim` keeps any name that stays below the root */
  readonly paths?: 'safe' | 'verbatim';
  /** `Bag-Software-Agent` */
  readonly softwareAgent?: string;
  readonly now?: () => Date;
  readonly signal?: AbortSignal;
  /** called whenever something went on: octets into scratch or archive, entries sorted and written */
  readonly onProgress?: () => void;
  /** entries held in memory before they are sorted on disk; default 50,000 */
  readonly spoolLimit?: number;
}

export interface BagReference {
  /** below `data/` */
  readonly path: string;
  /** absolute */
  readonly url: string;
  /** octets */
  readonly length: number;
  readonly hashes: Hashes;
}

export interface BagFinish {
  /** further lines of bag-info.txt; a label that the metadata already has is left out, all its lines */
  readonly info?: readonly BagInfoEntry[];
  /** other tag files, such as metadata/manifest.json */
  readonly tagFiles?: Iterable<{ readonly path: string; readonly content: AsyncIterable<Uint8Array> }>;
  /** asked for each reference when the references have no algorithm in common, up to eight at once */
  readonly resolveHashes?: (reference: BagReference) => Promise<Hashes>;
}

/** What is known of a file before it is read. */
export interface KnownFile {
  /** octets; saves a tar its scratch file and must be true */
  readonly bytes?: number;
  /** hashes that {@link verify} needs beside those of the bag */
  readonly algorithms?: readonly Algorithm[];
  /** sees the file when it was read, before it counts; what it throws breaks the bag off */
  readonly verify?: (file: WrittenFile) => void;
}

export interface WrittenFile {
  /** below `data/`, in its normal form */
  readonly path: string;
  readonly bytes: number;
  readonly hashes: Hashes;
}

export interface BagSummary {
  /** octets and files of the payload, referenced ones included: the Payload-Oxum */
  readonly bytes: number;
  readonly files: number;
  readonly references: number;
  /** of the manifests as written */
  readonly algorithms: readonly Algorithm[];
  readonly warnings: readonly string[];
}
