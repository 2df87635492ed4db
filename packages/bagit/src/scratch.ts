import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BagWriteError } from './errors.js';

/** Temporary files of one bag below the caller's directory, counted against a quota, removed together. */
export class Scratch {
  readonly #parent: string;
  readonly #quota: number;
  #directory: Promise<string> | undefined;
  #files = 0;
  #bytes = 0;

  constructor(parent: string, quota: number) {
    this.#parent = parent;
    this.#quota = quota;
  }

  async create(): Promise<ScratchFile> {
    // made on first use: most bags need no scratch at all
    this.#directory ??= mkdtemp(join(this.#parent, 'bag-'));
    const path = join(await this.#directory, String(this.#files++));
    const handle = await open(path, 'wx', 0o600);
    let size = 0;
    return {
      path,
      write: async (chunk) => {
        this.#bytes += chunk.byteLength;
        size += chunk.byteLength;
        if (this.#bytes > this.#quota) {
          throw new BagWriteError(
            'scratch_full',
            `the scratch files of this bag would have more than ${this.#quota} bytes`,
          );
        }
        await handle.writeFile(chunk);
      },
      close: () => handle.close(),
      remove: async () => {
        await handle.close().catch(() => {});
        this.#bytes -= size;
        await rm(path, { force: true });
      },
    };
  }

  async removeAll(): Promise<void> {
    if (this.#directory !== undefined) await rm(await this.#directory, { recursive: true, force: true });
    this.#directory = undefined;
  }
}

export interface ScratchFile {
  readonly path: string;
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
  remove(): Promise<void>;
}
