import type { Algorithm, Hashes } from '@holdfast/bagit';

/** What queries make, one after another: the packager takes each before the next is begun. */
export type StepOutput = FileOutput | ReferencesOutput;

/** A file with content. */
export interface FileOutput {
  readonly kind: 'file';
  /** Checked, relative to the export. */
  readonly path: string;
  readonly contentType: string;
  /** Where known. */
  readonly bytes: number | null;
  /** Read once, whole. */
  readonly content: AsyncIterable<Uint8Array>;
  /** What it should be; null: anything. */
  readonly expected: Expected | null;
  /** Where it was read from, for people. */
  readonly source: string;
  /** Whether it may be stored while the next outputs are made. */
  readonly alongside: boolean;
  /** Lets go of what the content comes from, read or not. Called by whoever took the output, once it is done with it. */
  readonly close: () => void;
  /** To be called when the whole content is stored, in the order of the outputs. */
  readonly stored: () => void;
}

/** What is known of a content beforehand. Whoever stores it hashes it anyway, so that it is hashed once. */
export interface Expected {
  readonly algorithms: readonly Algorithm[];
  /** Called when all of it was read, before it counts. @throws {AppError} when it is something else */
  readonly verify: (found: { readonly bytes: number; readonly hashes: Hashes }) => void;
}

/** Files that stay where they are: many at a time, because there may be millions. */
export interface ReferencesOutput {
  readonly kind: 'references';
  readonly references: readonly Reference[];
}

/** A file that stays where it is. */
export interface Reference {
  readonly path: string;
  /** Absolute. */
  readonly url: string;
  readonly length: number;
  readonly hashes: Hashes;
  readonly contentType: string | null;
}
