import { crc32 } from 'node:zlib';
import { type DataAnswer, isBrokenTransfer, pause, readRetries } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import type { ExportLog } from '../job/export-log.js';

/** The answer to a query, on its way. */
export interface SteadyContent {
  readonly content: AsyncIterable<Uint8Array>;
  /** Lets go of it, read or not. */
  abandon(): void;
}

/** What is needed to ask again. */
export interface SteadyContentOptions {
  readonly ask: () => Promise<DataAnswer>;
  readonly queryPath: string;
  readonly log: ExportLog;
  readonly signal: AbortSignal;
}

/**
 * The bytes of an answer. When they break off the query is asked again and its answer read from zero, up to where the first one came;
 * what was passed on already stands in an archive and cannot be taken back, so the beginning must be the same (spec/export.md 7.5).
 * Queries of one snapshot give that unless the database chooses another order of rows, which is noticed by the check sum.
 */
export function steadyContent(first: DataAnswer, options: SteadyContentOptions): SteadyContent {
  let current = first;
  let isAbandoned = false;
  const abandon = (): void => {
    isAbandoned = true;
    current.abandon();
  };
  async function* content(): AsyncGenerator<Uint8Array> {
    let passed = 0;
    let sum = 0;
    for (let count = 1; ; count += 1) {
      try {
        const source: AsyncIterable<Uint8Array> = current.body;
        const rest = count === 1 ? source : skipSame(source, { length: passed, sum }, options.queryPath);
        for await (const chunk of rest) {
          passed += chunk.byteLength;
          sum = crc32(chunk, sum);
          yield chunk;
        }
        return;
      } catch (error) {
        options.signal.throwIfAborted();
        if (isAbandoned || !isBrokenTransfer(error) || count >= readRetries.tries) throw error;
        options.log.warning(`${options.queryPath} broke off after ${passed} bytes and is asked again`);
        await pause(readRetries.firstDelay * 2 ** (count - 1), options.signal);
        if (isAbandoned) throw error;
        current = await options.ask();
      }
    }
  }
  return { content: content(), abandon };
}

/** What comes behind a beginning that is known already. */
async function* skipSame(
  source: AsyncIterable<Uint8Array>,
  known: { readonly length: number; readonly sum: number },
  queryPath: string,
): AsyncGenerator<Uint8Array> {
  let left = known.length;
  let sum = 0;
  for await (const chunk of source) {
    const seen = chunk.subarray(0, left);
    if (seen.byteLength > 0) {
      sum = crc32(seen, sum);
      left -= seen.byteLength;
      if (left === 0 && sum !== known.sum) throw otherAnswer(queryPath);
    }
    if (chunk.byteLength > seen.byteLength) yield chunk.subarray(seen.byteLength);
  }
  if (left > 0) throw otherAnswer(queryPath);
}

function otherAnswer(queryPath: string): AppError {
  return new AppError(
    'upstream_failed',
    `The transfer of ${queryPath} broke off, and asked again the catalog gave another answer.`,
  );
}
