import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { BagWriteError } from './errors.js';
import { writeChunk } from './stream-write.js';

/**
 * Runs bytes through the `bzip2` program (Node has no bzip2 of its own). The program ends with the iteration, however
 * that ends.
 *
 * @throws BagWriteError `bzip2_missing` when there is no such program; Error with what the program said when it failed
 */
export async function* throughBzip2(
  mode: 'compress' | 'decompress',
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const child = spawn('bzip2', [mode === 'compress' ? '-zc' : '-dc'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(0, 1000);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'ENOENT'
          ? new BagWriteError('bzip2_missing', 'the program bzip2 is not installed', { cause })
          : cause,
      ),
    );
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`bzip2 failed: ${said.trim() || `exit status ${code}`}`)),
    );
  });
  const fed = feed(source, child.stdin);
  // both are awaited below; until then a failure must not count as unhandled
  ended.catch(() => {});
  fed.catch(() => {});
  try {
    for await (const chunk of child.stdout) yield chunk;
    await ended;
    await fed;
  } finally {
    child.kill();
  }
}

/** Whether the program is there. */
export async function hasBzip2(): Promise<boolean> {
  const child = spawn('bzip2', ['--help'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', () => resolve(true));
  });
}

async function feed(source: AsyncIterable<Uint8Array>, input: Writable): Promise<void> {
  input.on('error', () => {});
  try {
    for await (const chunk of source) await writeChunk(input, chunk);
    input.end();
  } catch (error) {
    input.destroy();
    throw error;
  }
}
