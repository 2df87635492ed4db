import { join } from 'node:path';
import { PayloadPaths, type ScratchBudget } from '@holdfast/bagit';
import { AppError } from '@holdfast/http-kit';
import type { ExportLog } from '../job/export-log.js';
import type { ExportOutput } from '../job/export-record.js';
import type { ProgressMeter } from '../job/progress-meter.js';
import type { FileOutput, ReferencesOutput, StepOutput } from '../steps/step-output.js';
import { packageError } from './package-error.js';
import type { Packager, ResultSink } from './packager.js';
import { parallelTransfers } from './parallel-transfers.js';
import { openReferenceFile, type ReferenceFile } from './reference-file.js';

/** What a file export is packaged with. */
export interface FilePackagerOptions {
  readonly sink: ResultSink;
  readonly scratchDir: string;
  readonly scratchBudget: ScratchBudget;
  readonly log: ExportLog;
  readonly meter: ProgressMeter;
}

/** Files stored at a time (spec/export.md 5.5). */
const AT_A_TIME = 4;

/** Name of the one file that holds all references (spec/export.md 5.6). */
const REFERENCES_NAME = 'remote-file-manifest.json';

/** One result for each file, streamed into the store as it comes; references gather in one more (spec/export.md 5.6, 6.3). */
export function filePackager(options: FilePackagerOptions): Packager {
  const { sink, log, meter } = options;
  const paths = new PayloadPaths();
  /** In the order of the queries; the references keep the place of the first of them. */
  const results: (ExportOutput | 'references' | 'on its way')[] = [];
  const transfers = parallelTransfers(AT_A_TIME);
  let references: ReferenceFile | null = null;

  const claim = (path: string): void => {
    // it could not be told from the log of the export (spec/export.md 6.2)
    if (path === 'log') throw new AppError('bad_path', 'A file of the name "log" would hide the log of the export.');
    try {
      const { caseTwin } = paths.claim(path);
      if (caseTwin !== undefined) log.warning(`${path} and ${caseTwin} differ only in case`);
    } catch (error) {
      throw packageError(error);
    }
  };
  const addFile = async (output: FileOutput): Promise<void> => {
    try {
      claim(output.path);
    } catch (error) {
      output.close();
      throw error;
    }
    const place = results.push('on its way') - 1;
    const { path, contentType, content, expected, close, stored } = output;
    await transfers.begin({
      run: async () => {
        results[place] = await sink.store({ path, contentType, content, expected });
        meter.addFile();
      },
      close,
      done: stored,
    });
    if (!output.alongside) await transfers.settled();
  };
  const addReferences = async (output: ReferencesOutput): Promise<void> => {
    if (output.references.length === 0) return;
    meter.addReferences(output.references.length);
    if (references === null) {
      claim(REFERENCES_NAME);
      results.push('references');
      references = await openReferenceFile(join(options.scratchDir, REFERENCES_NAME), options.scratchBudget);
    }
    for (const reference of output.references) await explained(references.add(reference));
  };
  return {
    add: async (output: StepOutput) => {
      switch (output.kind) {
        case 'file':
          return addFile(output);
        case 'references':
          return addReferences(output);
      }
    },
    finish: async () => {
      await transfers.settled();
      const written: ExportOutput[] = [];
      for (const result of results) {
        if (typeof result === 'object') written.push(result);
        else if (references !== null) {
          const content = await explained(references.content());
          const result = { path: REFERENCES_NAME, contentType: 'application/json', content, expected: null };
          written.push(await sink.store(result));
          meter.addFile();
        }
      }
      await references?.remove();
      return written;
    },
    abort: async () => {
      await transfers.abort();
      await references?.remove();
    },
  };
}

async function explained<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw packageError(error);
  }
}
