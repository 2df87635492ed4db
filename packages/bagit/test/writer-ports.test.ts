import { describe, expect, it } from '@jest/globals';
import {
  type Archiver,
  type BagWriter,
  type BagWriterOptions,
  createBagWriter,
  scratchBudget,
  type WrittenFile,
} from '../src/index.js';
import { bytes, inTemporaryDirectory, Memory } from './support.js';

const url = 'https://x.org/os/o:V1';
const hello = { url, length: 5, hashes: { md5: '5d41402abc4b2a76b9719d911017c592' } };

function options(directory: string, archiver: Archiver, more: Partial<BagWriterOptions>): BagWriterOptions {
  return {
    name: 'b',
    target: { kind: 'archive', archiver, destination: new Memory() },
    algorithms: ['md5'],
    scratchDir: directory,
    ...more,
  };
}

describe('bags', () => {
  it('share their scratch with other bags, and give it back', () =>
    inTemporaryDirectory(async (directory) => {
      const shared = { scratchBudget: scratchBudget(100_000), references: true, spoolLimit: 1 };
      const bag = () => createBagWriter(options(directory, 'zip', shared));
      const longName = (index: number) => `${index}/${'x'.repeat(200)}/${'y'.repeat(200)}`;
      const fill = async (writer: BagWriter, count: number) => {
        for (let index = 0; index < count; index += 1) await writer.addReference({ ...hello, path: longName(index) });
      };
      const first = bag();
      await fill(first, 100);
      const second = bag();
      await expect(fill(second, 100)).rejects.toMatchObject({ code: 'scratch_full' });
      await first.finish();
      const third = bag();
      await fill(third, 100);
      await third.abort();
    }));
});

describe('a file that is verified', () => {
  it('is shown with more hashes than the bag has, and breaks the bag off when it is refused', () =>
    inTemporaryDirectory(async (directory) => {
      const seen: WrittenFile[] = [];
      const bag = createBagWriter(options(directory, 'zip', { algorithms: ['md5'] }));
      await bag.addFile('a', bytes('hello'), { algorithms: ['sha1'], verify: (file) => void seen.push(file) });
      expect(seen).toEqual([
        {
          path: 'a',
          bytes: 5,
          hashes: { md5: '5d41402abc4b2a76b9719d911017c592', sha1: 'aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d' },
        },
      ]);
      const verify = (): never => {
        throw new Error('not what it should be');
      };
      await expect(bag.addFile('b', bytes('hello'), { verify })).rejects.toThrow('not what it should be');
      await expect(bag.finish()).rejects.toThrow('not what it should be');
    }));
});

describe('progress', () => {
  it('shows while a spooled entry is copied into the archive, and while hashes of references are asked for', () =>
    inTemporaryDirectory(async (directory) => {
      let count = 0;
      const since = (): number => {
        const before = count;
        count = 0;
        return before;
      };
      const onProgress = (): void => {
        count += 1;
      };
      const more = { references: true, algorithms: ['md5'] as const, onProgress };
      const bag = createBagWriter(options(directory, 'tar', more));
      async function* content(): AsyncGenerator<Uint8Array> {
        for (let index = 0; index < 64; index += 1) yield Buffer.alloc(65_536);
        since();
      }
      await bag.addFile('large', content());
      // 4 MiB read from scratch in pieces of 64 KiB
      expect(since()).toBeGreaterThanOrEqual(64);
      for (let index = 0; index < 20; index += 1) {
        await bag.addReference({ path: `r${index}`, url, length: 5, hashes: { sha512: '0'.repeat(128) } });
      }
      await bag.addReference({ path: 'other', url, length: 5, hashes: { sha1: '0'.repeat(40) } });
      since();
      const asked: number[] = [];
      await bag.finish({
        resolveHashes: async () => {
          asked.push(since());
          return { md5: '0'.repeat(32) };
        },
      });
      expect(asked).toHaveLength(21);
      expect(asked.slice(8).some((moves) => moves > 0)).toBe(true);
    }));
});
