import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BagWriteError } from './errors.js';

/** Octets that scratch files may have together, of all who share it. */
export interface ScratchBudget {
  /** @throws BagWriteError `scratch_full`: then nothing was taken */
  take(bytes: number): void;
  give(bytes: number): void;
}

/** @param limit octets */
export function scratchBudget(limit: number): ScratchBudget {
  let taken = 0;
  return {
    take: (bytes) => {
      if (taken + bytes > limit) {
        throw new BagWriteError('scratch_full', `the scratch files would have more than ${limit} bytes`);
      }
      taken += bytes;
    },
    give: (bytes) => {
      taken -= bytes;
    },
  };
}

/** Temporary files of one bag below the caller's directory, counted against a budget, removed together. */
export class Scratch {
  readonly #parent: string;
  readonly #budget: ScratchBudget;
  #directory: Promise<string> | undefined;
  #files = 0;
  #bytes = 0;
  #removed = false;

  constructor(parent: string, budget: ScratchBudget) {
    this.#parent = parent;
    this.#budget = budget;
  }

  async create(): Promise<ScratchFile> {
    this.#refuseAfterRemoval();
    // made on first use: most bags need no scratch at all
    this.#directory ??= mkdtemp(join(this.#parent, 'bag-'));
    const path = join(await this.#directory, String(this.#files++));
    const handle = await open(path, 'wx', 0o600);
    let size = 0;
    return {
      path,
      write: async (chunk) => {
        this.#refuseAfterRemoval();
        this.#budget.take(chunk.byteLength);
        this.#bytes += chunk.byteLength;
        size += chunk.byteLength;
        await handle.writeFile(chunk);
      },
      close: () => handle.close(),
      remove: async () => {
        await handle.close().catch(() => {});
        await rm(path, { force: true });
        this.#give(size);
      },
    };
  }

  async removeAll(): Promise<void> {
    this.#removed = true;
    if (this.#directory !== undefined) await rm(await this.#directory, { recursive: true, force: true });
    this.#directory = undefined;
    this.#give(this.#bytes);
  }

  /** What is removed for the second time is not there any more. */
  #give(bytes: number): void {
    const given = Math.min(bytes, this.#bytes);
    this.#bytes -= given;
    this.#budget.give(given);
  }

  #refuseAfterRemoval(): void {
    if (this.#removed) throw new Error('the scratch files of this bag are removed');
  }
}

export interface ScratchFile {
  readonly path: string;
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
  remove(): Promise<void>;
}
