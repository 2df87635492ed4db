import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hasBzip2 } from '../src/bzip2.js';
import {
  ALGORITHMS,
  ARCHIVERS,
  type Archiver,
  type BagWriterOptions,
  createBagWriter,
  scratchBudget,
  validateBag,
  writeBagArchive,
  writeBagDirectory,
} from '../src/index.js';
import { openBagSource } from '../src/open-bag-source.js';
import { bytes, inTemporaryDirectory, Memory, readTree, writeTree } from './support.js';

const bzip2 = await hasBzip2();
if (!bzip2) process.stderr.write('SKIPPED: the program bzip2 is not installed, bz2 bags are not tested\n');
const archivers = ARCHIVERS.filter((archiver) => archiver !== 'bz2' || bzip2);

const NOW = () => new Date('2026-02-03T04:05:06Z');
const hex = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex');
const md5 = (text: string) => hex('md5', text);

function options(
  directory: string,
  archiver: Archiver,
  destination: Writable,
  more: Partial<BagWriterOptions> = {},
): BagWriterOptions {
  return {
    name: 'b',
    target: { kind: 'archive', archiver, destination },
    algorithms: ['md5', 'sha256'],
    scratchDir: directory,
    now: NOW,
    ...more,
  };
}

/** Entry names and contents, in the order of the archive. */
async function unpack(path: string): Promise<Array<readonly [string, string]>> {
  const entries: Array<readonly [string, string]> = [];
  for await (const entry of (await openBagSource(path)).entries()) {
    if (entry.kind === 'directory') entries.push([`${entry.path}/`, '']);
    else {
      const parts: Uint8Array[] = [];
      for await (const chunk of await entry.read()) parts.push(chunk);
      entries.push([entry.path, Buffer.concat(parts).toString()]);
    }
  }
  return entries;
}

describe.each(archivers)('a %s bag', (archiver) => {
  it('has the entries in order, with both manifests, and is valid', () =>
    inTemporaryDirectory(async (directory) => {
      const path = join(directory, 'out');
      const bag = createBagWriter(
        options(directory, archiver, createWriteStream(path), { metadata: [{ label: 'Contact-Name', value: 'Ann' }] }),
      );
      expect(await bag.addFile('t.csv', bytes('a,b\n', '1,2\n'))).toEqual({
        path: 't.csv',
        bytes: 8,
        hashes: { md5: md5('a,b\n1,2\n'), sha256: hex('sha256', 'a,b\n1,2\n') },
      });
      await bag.addFile('dir//x.json', bytes('[]'), { bytes: 2 });
      await bag.addFile('dir/empty', bytes());
      const summary = await bag.finish({
        info: [
          { label: 'Source-Query', value: 'one' },
          { label: 'Source-Query', value: 'two' },
          { label: 'contact-name', value: 'not this' },
        ],
        tagFiles: [{ path: 'metadata/manifest.json', content: bytes('{}') }],
      });
      expect(summary).toEqual({ bytes: 10, files: 3, references: 0, algorithms: ['md5', 'sha256'], warnings: [] });

      const entries = await unpack(path);
      expect(entries.map(([name]) => name)).toEqual([
        'b/',
        'b/bagit.txt',
        'b/data/',
        'b/data/t.csv',
        'b/data/dir/x.json',
        'b/data/dir/empty',
        'b/bag-info.txt',
        'b/metadata/manifest.json',
        'b/manifest-md5.txt',
        'b/manifest-sha256.txt',
        'b/tagmanifest-md5.txt',
        'b/tagmanifest-sha256.txt',
      ]);
      const text = new Map(entries);
      expect(text.get('b/bagit.txt')).toBe('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n');
      expect(text.get('b/bag-info.txt')).toBe(
        'Contact-Name: Ann\nBagging-Date: 2026-02-03\nBag-Size: 10 bytes\nSource-Query: one\nSource-Query: two\nPayload-Oxum: 10.3\n',
      );
      expect(text.get('b/manifest-md5.txt')).toBe(
        `${md5('')}  data/dir/empty\n${md5('[]')}  data/dir/x.json\n${md5('a,b\n1,2\n')}  data/t.csv\n`,
      );
      expect(text.get('b/tagmanifest-md5.txt')).toBe(
        ['bag-info.txt', 'bagit.txt', 'manifest-md5.txt', 'manifest-sha256.txt', 'metadata/manifest.json']
          .map((name) => `${md5(text.get(`b/${name}`) ?? '')}  ${name}\n`)
          .join(''),
      );
      expect(await validateBag(path)).toMatchObject({
        valid: true,
        warnings: [],
        version: '1.0',
        payload: { bytes: 10, files: 3 },
      });
      expect(await readdir(directory)).toEqual(['out']);
    }));

  it('is the same byte for byte when it is idempotent', () =>
    inTemporaryDirectory(async (directory) => {
      const make = async (now: string) => {
        const memory = new Memory();
        const bag = createBagWriter(
          options(directory, archiver, memory, { idempotent: true, now: () => new Date(now) }),
        );
        await bag.addFile('é', bytes('x'));
        await bag.finish();
        return memory.content;
      };
      const first = await make('2026-01-01T00:00:00Z');
      expect(first.length).toBeGreaterThan(100);
      expect((await make('2027-05-06T07:08:09Z')).equals(first)).toBe(true);
    }));

  it('leaves nothing behind and tells the reason when it is aborted, even while content is awaited', () =>
    inTemporaryDirectory(async (directory) => {
      const stop = new AbortController();
      const destination = new Memory();
      const bag = createBagWriter(options(directory, archiver, destination, { signal: stop.signal }));
      const never = new PassThrough();
      never.write(randomBytes(100_000));
      const adding = bag.addFile('a', never);
      setImmediate(() => stop.abort(new Error('the user left')));
      await expect(adding).rejects.toThrow('the user left');
      expect(destination.destroyed).toBe(true);
      expect(destination.writableFinished).toBe(false);
      expect(never.destroyed).toBe(true);
      await expect(bag.finish()).rejects.toThrow('the user left');
      expect(await readdir(directory)).toEqual([]);
    }));

  it('fails with the reason of the destination', () =>
    inTemporaryDirectory(async (directory) => {
      let room = 100_000;
      const full = new Writable({
        write(chunk: Buffer, _encoding, done) {
          room -= chunk.length;
          done(room < 0 ? new Error('no room') : null);
        },
      });
      const bag = createBagWriter(options(directory, archiver, full));
      const noise = Readable.from(Array.from({ length: 100 }, () => randomBytes(65_536)));
      await expect(bag.addFile('noise.png', noise, { bytes: 6_553_600 })).rejects.toThrow('no room');
      await expect(bag.addFile('more', bytes('x'))).rejects.toThrow('no room');
      expect(await readdir(directory)).toEqual([]);
    }));

  it('breaks off when the content has another length than it was said to have', () =>
    inTemporaryDirectory(async (directory) => {
      for (const length of [2, 4]) {
        const destination = new Memory();
        const bag = createBagWriter(options(directory, archiver, destination));
        await expect(bag.addFile('a', bytes('xyz'), { bytes: length })).rejects.toMatchObject({
          code: 'length_mismatch',
          path: 'data/a',
        });
        await bag.abort();
        expect(destination.destroyed).toBe(true);
        expect(destination.writableFinished).toBe(false);
      }
    }));

  it('survives content that fails before its first byte', () =>
    inTemporaryDirectory(async (directory) => {
      const path = join(directory, 'out');
      const bag = createBagWriter(options(directory, archiver, createWriteStream(path)));
      const failing = new Readable({ read: () => failing.destroy(new Error('503')) });
      await expect(bag.addFile('a', failing)).rejects.toThrow('503');
      await bag.addFile('a', bytes('second try'));
      await bag.finish();
      expect(await validateBag(path)).toMatchObject({ valid: true, payload: { bytes: 10, files: 1 } });
    }));
});

describe('names', () => {
  const segment = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 12 })
    .map((text) => text.replace(/[\0/\ud800-\udfff]/g, '_'))
    .filter((text) => text !== '.' && text !== '..');
  const special = fc.constantFrom(
    'a%b',
    '%0A',
    'new\nline',
    'cr\r',
    '*star',
    ' lead',
    'trail ',
    'é',
    'e\u0301',
    'back\\slash',
    '~x',
    '\u2028',
  );
  const tree = fc.uniqueArray(fc.array(fc.oneof(segment, special), { minLength: 1, maxLength: 3 }), { maxLength: 6 });

  it.each(archivers)('of any kind come back from a %s bag', (archiver) =>
    inTemporaryDirectory((directory) =>
      fc.assert(
        fc.asyncProperty(tree, async (paths) => {
          const path = join(directory, 'out');
          const bag = createBagWriter(
            options(directory, archiver, createWriteStream(path), {
              paths: 'verbatim',
              strict: false,
              name: 'x:y',
              algorithms: ['sha512'],
            }),
          );
          const written: string[] = [];
          for (const parts of paths) {
            const name = parts.join('/');
            const added = await bag.addFile(name, bytes(name)).then(
              () => true,
              (error: { code?: string }) => error.code !== 'path_collision' && Promise.reject(error),
            );
            if (added) written.push(name);
          }
          await bag.finish();
          const report = await validateBag(path);
          expect(report.errors).toEqual([]);
          expect(report.payload.files).toBe(written.length);
          const files = (await unpack(path)).filter(([name]) => name.startsWith('x:y/data/') && name !== 'x:y/data/');
          expect(files).toEqual(written.map((name) => [`x:y/data/${name}`, name]));
        }),
        { numRuns: archiver === 'bz2' ? 10 : 40 },
      ),
    ),
  );

  it('are refused when they are unsafe, and the bag goes on', () =>
    inTemporaryDirectory(async (directory) => {
      const bag = createBagWriter(options(directory, 'zip', new Memory()));
      await expect(bag.addFile('../x', bytes('x'))).rejects.toMatchObject({ reason: 'parent_segment' });
      await bag.addFile('x', bytes('x'));
      await expect(bag.addFile('x', bytes('y'))).rejects.toMatchObject({ code: 'path_collision' });
      await expect(bag.addFile('x/y', bytes('y'))).rejects.toMatchObject({ code: 'path_collision' });
      await bag.addFile('X', bytes('y'));
      expect((await bag.finish()).warnings).toEqual(['"X" and "x" differ only in case']);
    }));
});

describe('an empty bag', () => {
  it('is an error when strict, and else a valid bag with data/ and empty manifests', () =>
    inTemporaryDirectory(async (directory) => {
      const strict = new Memory();
      await expect(createBagWriter(options(directory, 'zip', strict)).finish()).rejects.toMatchObject({
        code: 'empty_bag',
      });
      expect(strict.writableFinished).toBe(false);
      const path = join(directory, 'out');
      await createBagWriter(options(directory, 'zip', createWriteStream(path), { strict: false })).finish();
      expect(await validateBag(path)).toMatchObject({
        valid: true,
        algorithms: ['md5', 'sha256'],
        payload: { bytes: 0, files: 0 },
      });
      expect(new Map(await unpack(path)).get('b/manifest-md5.txt')).toBe('');
    }));
});

describe('references', () => {
  const url = 'https://x.org/os/a/o:V1';
  const hello = { path: 'img/o.txt', url, length: 5, hashes: { md5: '5D41402ABC4B2A76B9719D911017C592' } };

  it('stand in fetch.txt and in manifests of the algorithm that all files have', () =>
    inTemporaryDirectory(async (directory) => {
      const path = join(directory, 'out');
      const bag = createBagWriter(options(directory, 'zip', createWriteStream(path), { references: true }));
      const local = await bag.addFile('t.csv', bytes('abc'));
      expect(Object.keys(local.hashes)).toEqual([...ALGORITHMS]);
      await bag.addReference(hello);
      await bag.addReference(hello);
      expect(await bag.finish()).toEqual({
        bytes: 8,
        files: 2,
        references: 1,
        algorithms: ['md5'],
        warnings: ['not all references have the requested checksums; the manifests use md5'],
      });
      const text = new Map(await unpack(path));
      expect(text.get('b/fetch.txt')).toBe(`${url}\t5\tdata/img/o.txt\n`);
      expect(text.get('b/manifest-md5.txt')).toBe(`${md5('hello')}  data/img/o.txt\n${md5('abc')}  data/t.csv\n`);
      expect(text.get('b/bag-info.txt')).toContain('Payload-Oxum: 8.2\n');
      expect(text.has('b/manifest-sha256.txt')).toBe(false);
      expect(await validateBag(path, { allowMissingFetch: true })).toMatchObject({
        valid: true,
        fetch: { entries: 1, missing: 1 },
      });
    }));

  it('use another common algorithm, or ask for checksums, or fail with no_common_hash', () =>
    inTemporaryDirectory(async (directory) => {
      const start = async (...hashes: Array<'md5' | 'sha1' | 'sha512'>) => {
        const bag = createBagWriter(
          options(directory, 'tar', new Memory(), { references: true, algorithms: ['sha256'] }),
        );
        for (const [index, name] of hashes.entries()) {
          await bag.addReference({ path: `r${index}`, url, length: 5, hashes: { [name]: hex(name, 'hello') } });
        }
        return bag;
      };
      expect((await (await start('sha1', 'sha1')).finish()).algorithms).toEqual(['sha1']);
      await expect((await start('md5', 'sha1')).finish()).rejects.toMatchObject({ code: 'no_common_hash' });
      const asked: string[] = [];
      const summary = await (await start('md5', 'sha1')).finish({
        resolveHashes: async ({ path }) => {
          asked.push(path);
          return { sha512: hex('sha512', 'hello') };
        },
      });
      expect(summary.algorithms).toEqual(['sha512']);
      expect(asked.sort()).toEqual(['r0', 'r1']);
    }));

  it('may have incomplete manifests in version 0.97', () =>
    inTemporaryDirectory(async (directory) => {
      const path = join(directory, 'out');
      const bag = createBagWriter(
        options(directory, 'tgz', createWriteStream(path), {
          references: true,
          algorithms: ['sha256'],
          version: '0.97',
        }),
      );
      await bag.addFile('a%b', bytes('abc'));
      await bag.addReference(hello);
      expect((await bag.finish()).algorithms).toEqual(['md5', 'sha256']);
      const text = new Map(await unpack(path));
      expect(text.get('b/manifest-sha256.txt')).toBe(`${hex('sha256', 'abc')}  data/a%b\n`);
      expect(await validateBag(path, { allowMissingFetch: true })).toMatchObject({ valid: true, version: '0.97' });
    }));

  it('are refused when two differ, when a file has the path, and when they are not sound', () =>
    inTemporaryDirectory(async (directory) => {
      const start = () => createBagWriter(options(directory, 'zip', new Memory(), { references: true, spoolLimit: 2 }));
      const different = start();
      await different.addReference(hello);
      await different.addReference({ ...hello, path: 'other' });
      await different.addReference({ ...hello, length: 6 });
      await expect(different.finish()).rejects.toMatchObject({ code: 'path_collision', path: 'data/img/o.txt' });
      const below = start();
      await below.addReference({ ...hello, path: 'a' });
      await below.addReference({ ...hello, path: 'a-b' });
      await below.addReference({ ...hello, path: 'a/b' });
      await expect(below.finish()).rejects.toMatchObject({ code: 'path_collision', path: 'data/a/b' });
      const bag = start();
      await bag.addFile('img/o.txt', bytes('x'));
      await expect(bag.addReference(hello)).rejects.toMatchObject({ code: 'path_collision' });
      await expect(bag.addReference({ ...hello, url: '/os/a' })).rejects.toMatchObject({ code: 'bad_reference' });
      await expect(bag.addReference({ ...hello, length: -1 })).rejects.toMatchObject({ code: 'bad_reference' });
      await expect(bag.addReference({ ...hello, hashes: { md5: 'xy' } })).rejects.toMatchObject({
        code: 'bad_reference',
      });
      const late = start();
      await late.addReference(hello);
      await late.addFile('img/o.txt', bytes('hello'));
      await expect(late.finish()).rejects.toMatchObject({ code: 'path_collision' });
      await different.abort();
      await below.abort();
      await bag.abort();
      expect(await readdir(directory)).toEqual([]);
    }));

  it('are sorted on disk when they are many, and the scratch is counted and removed', () =>
    inTemporaryDirectory(async (directory) => {
      const path = join(directory, 'out');
      const scratchDir = join(directory, 'scratch');
      await mkdir(scratchDir);
      const names = Array.from({ length: 500 }, (_, index) => `r/${(index * 7919) % 500}-\u2028`);
      const fill = async (quota?: number) => {
        const more = quota === undefined ? {} : { scratchBudget: scratchBudget(quota) };
        const bag = createBagWriter(
          options(scratchDir, 'tar', createWriteStream(path), { references: true, spoolLimit: 64, ...more }),
        );
        for (const name of names) await bag.addReference({ ...hello, path: name });
        expect(await readdir(scratchDir)).toHaveLength(1);
        return bag.finish();
      };
      expect(await fill()).toMatchObject({ references: 500, files: 500, bytes: 2500 });
      const lines = (new Map(await unpack(path)).get('b/fetch.txt') ?? '').split('\n').slice(0, -1);
      expect(lines).toEqual([...names].sort().map((name) => `${url}\t5\tdata/${name}`));
      expect((await validateBag(path, { allowMissingFetch: true })).valid).toBe(true);
      await expect(fill(10_000)).rejects.toMatchObject({ code: 'scratch_full' });
      expect(await readdir(scratchDir)).toEqual([]);
    }));
});

describe('memory', () => {
  it('holds no more of a file than the pipe does while the destination is slow', () =>
    inTemporaryDirectory(async (directory) => {
      for (const archiver of ['zip', 'tar', 'tgz'] as const) {
        let produced = 0;
        let consumed = 0;
        let widest = 0;
        const chunk = Buffer.from(Array.from({ length: 16_384 }, (_, at) => (at * 2654435761) >>> 13));
        const source = (async function* () {
          for (; produced < 640; produced += 1) {
            widest = Math.max(widest, produced - consumed / chunk.length);
            yield chunk;
          }
        })();
        const slow = new Writable({
          highWaterMark: 16_384,
          write(part: Buffer, _encoding, done) {
            consumed += part.length;
            setImmediate(done);
          },
        });
        const bag = createBagWriter(options(directory, archiver, slow));
        await bag.addFile('noise.png', source, { bytes: 640 * chunk.length });
        await bag.finish();
        expect(produced).toBe(640);
        // stored as it is, so what is in flight can be counted; gzip makes the repetition small
        if (archiver !== 'tgz') expect(widest).toBeLessThan(40);
      }
    }));
});

describe('bags of directories', () => {
  const files = { 'a.txt': 'A', 'sub/b%.txt': 'B', 'sub/new\nline': 'C' };

  it('copy the files, as directory or archive', () =>
    inTemporaryDirectory(async (directory) => {
      const source = join(directory, 'source');
      await writeTree(source, files);
      const target = join(directory, 'bag');
      expect(await writeBagDirectory(source, target)).toMatchObject({
        files: 3,
        bytes: 3,
        algorithms: ['sha256', 'sha512'],
      });
      expect(await readTree(join(target, 'data'))).toEqual(files);
      expect(await validateBag(target)).toMatchObject({ valid: true, warnings: [] });
      for (const extension of ['zip', 'tar.gz', 'tar']) {
        const archive = join(directory, `bag.${extension}`);
        await writeBagArchive(source, archive);
        expect(await validateBag(archive)).toMatchObject({ valid: true, payload: { files: 3 } });
        const names = (await unpack(archive)).map(([name]) => name);
        expect(names).toContain('bag/data/sub/new\nline');
        await expect(writeBagArchive(source, archive)).rejects.toThrow('is there already');
      }
    }));

  it('do not touch a directory that is there, and remove what they began', () =>
    inTemporaryDirectory(async (directory) => {
      await writeTree(directory, { 'source/a': 'A', 'bag/mine': 'keep' });
      await expect(writeBagDirectory(join(directory, 'source'), join(directory, 'bag'))).rejects.toMatchObject({
        code: 'EEXIST',
      });
      expect(await readFile(join(directory, 'bag/mine'), 'utf8')).toBe('keep');
      const bag = createBagWriter({
        name: 'new',
        target: { kind: 'directory', parent: directory },
        algorithms: ['md5'],
        scratchDir: directory,
      });
      await bag.addFile('a', createReadStream(join(directory, 'source/a')));
      expect(await readdir(directory)).toContain('new');
      await bag.abort();
      expect((await readdir(directory)).sort()).toEqual(['bag', 'source']);
    }));
});
