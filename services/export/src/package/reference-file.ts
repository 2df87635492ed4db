import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { ALGORITHMS, type ScratchBudget } from '@holdfast/bagit';
import { AppError } from '@holdfast/http-kit';
import type { Reference } from '../steps/step-output.js';
import { firstPlaces } from './first-places.js';

/** The references of a file export: one JSON object a line, on disk until all are there (spec/export.md 5.6). */
export interface ReferenceFile {
  /** @throws {AppError} `bad_path` when another file has its path */
  add(reference: Reference): Promise<void>;
  /** All lines. To be asked once, at the end. */
  content(): Promise<AsyncIterable<Uint8Array>>;
  remove(): Promise<void>;
}

/** Bytes of lines that are written at a time. */
const AT_A_TIME = 64 * 1024;

/** Opens it. @param budget what it takes on disk is taken from there, and given back */
export async function openReferenceFile(path: string, budget: ScratchBudget): Promise<ReferenceFile> {
  const file: FileHandle = await open(path, 'w+', 0o600);
  const places = firstPlaces();
  let gathered: Buffer[] = [];
  let waiting = 0;
  let written = 0;
  const flush = async (): Promise<void> => {
    const chunk = Buffer.concat(gathered, waiting);
    budget.take(chunk.byteLength);
    gathered = [];
    waiting = 0;
    await file.write(chunk, 0, chunk.byteLength, written);
    written += chunk.byteLength;
  };
  const lineAt = async (place: number): Promise<ReferenceLine> => {
    await flush();
    return parseLine(await readLine(file, place));
  };
  return {
    add: async (reference) => {
      const earlier = places.claim(reference.path, written + waiting);
      if (earlier !== null) {
        const line = await lineAt(earlier);
        // spec/export.md 6.2: one entry when URL and all hashes that both have are equal
        if (line.filename === reference.path) return refuseUnlessSame(line, reference);
      }
      const line = Buffer.from(`${JSON.stringify(lineOf(reference))}\n`);
      gathered.push(line);
      waiting += line.byteLength;
      if (waiting >= AT_A_TIME) await flush();
    },
    content: async () => {
      await flush();
      return createReadStream(path);
    },
    remove: async () => {
      await file.close().catch(() => undefined);
      await rm(path, { force: true });
      budget.give(written);
      written = 0;
    },
  };
}

/** A line as it stands in the result. */
type ReferenceLine = Readonly<Record<string, unknown>>;

function lineOf({ url, length, path, hashes, contentType }: Reference): ReferenceLine {
  return { url, length, filename: path, ...hashes, ...(contentType === null ? {} : { content_type: contentType }) };
}

function refuseUnlessSame(line: ReferenceLine, reference: Reference): void {
  const { url, length, hashes } = reference;
  const differs = ALGORITHMS.some(
    (algorithm) =>
      hashes[algorithm] !== undefined && line[algorithm] !== undefined && hashes[algorithm] !== line[algorithm],
  );
  if (line.url === url && line.length === length && !differs) return;
  throw new AppError('bad_path', `Two different files are to become ${JSON.stringify(reference.path)}.`);
}

function parseLine(text: string): ReferenceLine {
  const line: unknown = JSON.parse(text);
  return typeof line === 'object' && line !== null ? Object.fromEntries(Object.entries(line)) : {};
}

async function readLine(file: FileHandle, place: number): Promise<string> {
  const parts: Buffer[] = [];
  for (let at = place; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(4_096), 0, 4_096, at);
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
    parts.push(buffer.subarray(0, end < 0 ? bytesRead : end));
    if (end >= 0 || bytesRead === 0) return Buffer.concat(parts).toString('utf8');
    at += bytesRead;
  }
}
