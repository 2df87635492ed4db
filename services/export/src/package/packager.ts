import type { ExportOutput } from '../job/export-record.js';
import type { Expected, StepOutput } from '../steps/step-output.js';

/** Makes the results of an export out of what its queries give. */
export interface Packager {
  /** Takes one output; a content is read to its end before this resolves. */
  add(output: StepOutput): Promise<void>;
  /** Completes the results, which are stored then but not yet published. */
  finish(): Promise<readonly ExportOutput[]>;
  /** Breaks off. Harmless after the end. */
  abort(reason: Error): Promise<void>;
}

/** Where results are stored; the next stage implements it. */
export interface ResultSink {
  /** Streams one result into the store and knows all of it afterwards. */
  store(result: NewResult): Promise<ExportOutput>;
}

/** A result on its way. */
export interface NewResult {
  /** Relative to the export. */
  readonly path: string;
  readonly contentType: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** What the content should be; when it is not, nothing is stored. Null: anything. */
  readonly expected: Expected | null;
}
