import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BagSink, EntryWriter } from './bag-sink.js';

/** Writes the bag as a directory of the bag's name below `parent`; it must not exist. */
export class DirectorySink implements BagSink {
  readonly needsLength = false;
  readonly #parent: string;
  readonly #name: string;
  #created = false;
  #handle: FileHandle | undefined;

  constructor(parent: string, name: string) {
    this.#parent = parent;
    this.#name = name;
  }

  async directory(path: string): Promise<void> {
    await this.#create();
    await mkdir(join(this.#parent, path), { recursive: true });
  }

  open(path: string, _length: number | undefined): EntryWriter {
    const target = join(this.#parent, path);
    const begin = async () => {
      await this.#create();
      await mkdir(dirname(target), { recursive: true });
      this.#handle = await open(target, 'wx', 0o644);
      return this.#handle;
    };
    let handle: FileHandle | undefined;
    let started = false;
    const opened = async () => {
      started = true;
      handle ??= await begin();
      return handle;
    };
    return {
      get started() {
        return started;
      },
      write: async (chunk) => {
        await (await opened()).writeFile(chunk);
      },
      end: async () => {
        await (await opened()).close();
        this.#handle = undefined;
      },
    };
  }

  async finish(): Promise<void> {}

  async abort(): Promise<void> {
    await this.#handle?.close().catch(() => {});
    if (this.#created) await rm(join(this.#parent, this.#name), { recursive: true, force: true });
  }

  async #create(): Promise<void> {
    if (this.#created) return;
    // fails if it exists: nothing of another owner is written over, or removed by abort
    await mkdir(join(this.#parent, this.#name));
    this.#created = true;
  }
}
