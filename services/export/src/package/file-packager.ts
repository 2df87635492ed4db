import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { PayloadPaths } from '@holdfast/bagit';
import { AppError } from '@holdfast/http-kit';
import type { ExportLog } from '../job/export-log.js';
import type { ExportOutput } from '../job/export-record.js';
import type { ProgressMeter } from '../job/progress-meter.js';
import type { FileOutput, ReferenceOutput, StepOutput } from '../steps/step-output.js';
import { packageError } from './package-error.js';
import type { Packager, ResultSink } from './packager.js';
import { parallelTransfers } from './parallel-transfers.js';
import { seenReferences } from './seen-references.js';

/** What a file export is packaged with. */
export interface FilePackagerOptions {
  readonly sink: ResultSink;
  readonly scratchDir: string;
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
    const { path, contentType, content, close, stored } = output;
    await transfers.begin({
      run: async () => {
        results[place] = await sink.store({ path, contentType, content });
        meter.addFile();
      },
      close,
      done: stored,
    });
    if (!output.alongside) await transfers.settled();
  };
  const addReference = async (output: ReferenceOutput): Promise<void> => {
    meter.addReference();
    if (references === null) {
      claim(REFERENCES_NAME);
      references = openReferenceFile(join(options.scratchDir, REFERENCES_NAME));
      results.push('references');
    }
    await references.add(output);
  };
  return {
    add: async (output: StepOutput) => {
      switch (output.kind) {
        case 'file':
          return addFile(output);
        case 'reference':
          return addReference(output);
        case 'note':
          return;
      }
    },
    finish: async () => {
      await transfers.settled();
      const written: ExportOutput[] = [];
      for (const result of results) {
        if (typeof result === 'object') written.push(result);
        else if (references !== null) {
          const content = await references.content();
          written.push(await sink.store({ path: REFERENCES_NAME, contentType: 'application/json', content }));
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

interface ReferenceFile {
  add(reference: ReferenceOutput): Promise<void>;
  content(): Promise<AsyncIterable<Uint8Array>>;
  remove(): Promise<void>;
}

/** One JSON object a line, on disk until all are there. */
function openReferenceFile(path: string): ReferenceFile {
  const file: WriteStream = createWriteStream(path, { mode: 0o600 });
  const failure = once(file, 'error').then(([error]) => Promise.reject(error));
  failure.catch(() => undefined);
  const seen = seenReferences();
  return {
    add: async (reference) => {
      const { url, length, path: filename, hashes, contentType } = reference;
      const line = JSON.stringify({
        url,
        length,
        filename,
        ...hashes,
        ...(contentType === null ? {} : { content_type: contentType }),
      });
      const known = seen.add(filename, line);
      if (known === 'same') return;
      if (known === 'different') {
        throw new AppError('bad_path', `Two different files are to become ${JSON.stringify(filename)}.`);
      }
      if (!file.write(`${line}\n`)) await Promise.race([once(file, 'drain'), failure]);
    },
    content: async () => {
      file.end();
      await finished(file);
      return createReadStream(path);
    },
    remove: async () => {
      file.destroy();
      await rm(path, { force: true });
    },
  };
}
