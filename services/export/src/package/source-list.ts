import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { ScratchBudget } from '@holdfast/bagit';
import type { FileOutput } from '../steps/step-output.js';

/** Where each file of a bag came from and when, on disk: there may be many (spec/export.md 2.4, `bag_ro`). */
export interface SourceList {
  add(output: Pick<FileOutput, 'path' | 'contentType' | 'source'>, retrieved: Date): Promise<void>;
  /** The research object manifest. @param agent who made the bag */
  manifest(agent: string): AsyncGenerator<Uint8Array>;
  remove(): Promise<void>;
}

/** @param budget what it takes on disk is taken from there, and given back */
export function sourceList(path: string, budget: ScratchBudget): SourceList {
  let file: FileHandle | null = null;
  let bytes = 0;
  return {
    add: async (output, retrieved) => {
      file ??= await open(path, 'wx', 0o600);
      const line = Buffer.from(`${bytes === 0 ? '' : ','}\n${JSON.stringify(aggregateOf(output, retrieved))}`);
      budget.take(line.byteLength);
      bytes += line.byteLength;
      await file.writeFile(line);
    },
    manifest: async function* (agent) {
      const context = '"@context":["https://w3id.org/bundle/context"],"@id":"../"';
      yield Buffer.from(`{${context},"createdBy":${JSON.stringify({ name: agent })},"aggregates":[`);
      if (file !== null) for await (const chunk of createReadStream(path)) yield chunk;
      yield Buffer.from('\n]}\n');
    },
    remove: async () => {
      await file?.close().catch(() => undefined);
      await rm(path, { force: true });
      budget.give(bytes);
      bytes = 0;
    },
  };
}

function aggregateOf(output: Pick<FileOutput, 'path' | 'contentType' | 'source'>, retrieved: Date): object {
  return {
    uri: `../data/${output.path.split('/').map(encodeURIComponent).join('/')}`,
    mediatype: output.contentType,
    retrievedFrom: output.source,
    retrievedOn: retrieved.toISOString(),
  };
}
