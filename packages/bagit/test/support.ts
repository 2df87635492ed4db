import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';

/** Runs a test in a directory of its own and removes it. */
export async function inTemporaryDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'bagit-test-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export async function writeTree(root: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

/** All files below a directory with their content. */
export async function readTree(root: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const name of (await readdir(root, { recursive: true })).sort()) {
    if ((await stat(join(root, name))).isFile()) tree[name] = await readFile(join(root, name), 'utf8');
  }
  return tree;
}

export async function* bytes(...parts: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const part of parts) yield Buffer.from(part);
}

/** Keeps what is written. */
export class Memory extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get content(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
