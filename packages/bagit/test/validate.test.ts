import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { appendFile, chmod, mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pack as tarPack } from 'tar-stream';
import {
  BagOpenError,
  createBagWriter,
  describeFinding,
  httpFetch,
  validateBag,
  writeBagArchive,
  writeBagDirectory,
} from '../src/index.js';
import { bytes, inTemporaryDirectory, readTree, writeTree } from './support.js';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A sound bag with one algorithm and without tag manifest, to break in one place. */
function soundBag(version = '1.0'): Record<string, string> {
  return {
    'bagit.txt': `BagIt-Version: ${version}\nTag-File-Character-Encoding: UTF-8\n`,
    'bag-info.txt': 'Payload-Oxum: 8.2\n',
    'manifest-sha256.txt': `${sha256('alpha')}  data/a.txt\n${sha256('bet')}  data/sub/b.txt\n`,
    'data/a.txt': 'alpha',
    'data/sub/b.txt': 'bet',
  };
}

async function problems(
  files: Record<string, string | Uint8Array>,
  more?: (bag: string) => Promise<void>,
): Promise<string[]> {
  return inTemporaryDirectory(async (directory) => {
    const bag = join(directory, 'bag');
    await writeTree(bag, files);
    await more?.(bag);
    const report = await validateBag(bag);
    expect(report.valid).toBe(report.errors.length === 0);
    return [
      ...report.errors.map((each) => `error ${describeFinding(each)}`),
      ...report.warnings.map((each) => `warning ${describeFinding(each)}`),
    ];
  });
}

/** The sound bag with some files replaced; undefined removes one. */
function changed(
  changes: Record<string, string | Uint8Array | undefined>,
  version?: string,
): Record<string, string | Uint8Array> {
  const files: Record<string, string | Uint8Array> = soundBag(version);
  for (const [path, content] of Object.entries(changes)) {
    if (content === undefined) delete files[path];
    else files[path] = content;
  }
  return files;
}

const manifest = soundBag()['manifest-sha256.txt'] ?? '';

describe('a directory', () => {
  it('is valid when it is sound, and is not changed', () =>
    inTemporaryDirectory(async (directory) => {
      await writeTree(directory, soundBag());
      const before = await readTree(directory);
      expect(await validateBag(directory)).toEqual({
        valid: true,
        errors: [],
        warnings: [],
        errorCount: 0,
        warningCount: 0,
        version: '1.0',
        info: [{ label: 'Payload-Oxum', value: '8.2' }],
        algorithms: ['sha256'],
        payload: { bytes: 8, files: 2 },
        fetch: { entries: 0, missing: 0, fetched: 0 },
      });
      expect(await readTree(directory)).toEqual(before);
    }));

  it.each<[string, Record<string, string | Uint8Array | undefined>, string]>([
    [
      'a flipped byte',
      { 'data/a.txt': 'alphb' },
      `error manifest-sha256.txt:1: "data/a.txt" has the sha256 ${sha256('alphb')}, but ${sha256('alpha')} is recorded`,
    ],
    ['a missing file', { 'data/a.txt': undefined }, 'error manifest-sha256.txt:1: "data/a.txt" is not in the bag'],
    ['a file too many', { 'data/new': '' }, 'error "data/new" is not in manifest-sha256.txt'],
    [
      'a wrong Payload-Oxum',
      { 'bag-info.txt': 'Payload-Oxum: 9.2\n' },
      'error bag-info.txt: Payload-Oxum is 9.2, but the payload has 8.2',
    ],
    [
      'a Payload-Oxum that is none',
      { 'bag-info.txt': 'Payload-Oxum: x\n' },
      'error bag-info.txt: has a Payload-Oxum that is no <bytes>.<files>: "x"',
    ],
    [
      'a bad manifest line',
      { 'manifest-sha256.txt': `${manifest}xyz data/c\n` },
      'error manifest-sha256.txt:3: does not start with 64 hexadecimal digits of sha256',
    ],
    [
      'a path that leaves the bag',
      { 'manifest-sha256.txt': `${manifest}${sha256('')}  data/../../x\n` },
      `error manifest-sha256.txt:3: "data/../../x" is refused: it has a segment '..'`,
    ],
    [
      'an absolute path',
      { 'manifest-sha256.txt': `${manifest}${sha256('')}  /etc/passwd\n` },
      'error manifest-sha256.txt:3: "/etc/passwd" is refused: it is absolute',
    ],
    [
      'a path of a home directory',
      { 'manifest-sha256.txt': `${manifest}${sha256('')}  ~root/x\n` },
      `error manifest-sha256.txt:3: "~root/x" is refused: it starts with '~'`,
    ],
    [
      'a path beside data/',
      { 'manifest-sha256.txt': `${manifest}${sha256('')}  bagit.txt\n` },
      'error manifest-sha256.txt:3: "bagit.txt" is not below data/',
    ],
    [
      'a file named twice',
      { 'manifest-sha256.txt': `${manifest}${sha256('alpha')}  data/a.txt\n` },
      'error manifest-sha256.txt:3: "data/a.txt" is named in line 1 already',
    ],
    [
      'a manifest without some file',
      { 'manifest-md5.txt': `${md5('alpha')}  data/a.txt\n` },
      'error "data/sub/b.txt" is not in manifest-md5.txt',
    ],
    ['no manifest', { 'manifest-sha256.txt': undefined }, 'error there is no payload manifest'],
    ['no bagit.txt', { 'bagit.txt': undefined }, 'error bagit.txt: is missing: this is not a bag'],
    [
      'a byte order mark',
      { 'bagit.txt': `\ufeff${soundBag()['bagit.txt']}` },
      'error bagit.txt: starts with a byte order mark',
    ],
    [
      'a tag file that is not text',
      { 'bag-info.txt': Buffer.from([0x41, 0x3a, 0x20, 0xff]) },
      'error bag-info.txt: is not valid UTF-8',
    ],
    [
      'an unknown algorithm alone',
      { 'manifest-sha256.txt': undefined, 'manifest-crc32.txt': 'ab  data/a.txt\nab  data/sub/b.txt\n' },
      'error manifest-crc32.txt: uses crc32, which cannot be checked here',
    ],
    [
      'a changed tag file',
      { 'tagmanifest-md5.txt': `${md5('x')}  bag-info.txt\n` },
      `error tagmanifest-md5.txt:1: "bag-info.txt" has the md5 ${md5('Payload-Oxum: 8.2\n')}, but ${md5('x')} is recorded`,
    ],
    [
      'a missing tag file',
      { 'tagmanifest-md5.txt': `${md5('x')}  other.txt\n` },
      'error tagmanifest-md5.txt:1: "other.txt" is not in the bag',
    ],
    [
      'payload in a tag manifest',
      { 'tagmanifest-md5.txt': `${md5('alpha')}  data/a.txt\n` },
      'error tagmanifest-md5.txt:1: "data/a.txt" is payload and does not belong into a tag manifest',
    ],
    ['a bad fetch.txt line', { 'fetch.txt': 'nonsense\n' }, 'error fetch.txt:1: must be a URL, a length and a path'],
    [
      'a fetch.txt that leaves the bag',
      { 'fetch.txt': 'https://x/ 1 data/../../y\n' },
      `error fetch.txt:1: "data/../../y" is refused: it has a segment '..'`,
    ],
    [
      'a fetch.txt entry that is in no manifest',
      { 'fetch.txt': 'https://x/ 1 data/y\n' },
      'error fetch.txt:1: "data/y" is not in manifest-sha256.txt',
    ],
    [
      'a wrong length in fetch.txt',
      { 'fetch.txt': 'https://x/ 4 data/a.txt\n' },
      'error fetch.txt:1: "data/a.txt" has 5 bytes, but 4 are recorded',
    ],
  ])('with %s is not valid', async (_what, changes, message) => {
    expect(await problems(changed(changes))).toContain(message);
  });

  it.each<[string, Record<string, string | undefined>, string[]]>([
    [
      'only md5',
      {
        'manifest-sha256.txt': undefined,
        'manifest-md5.txt': `${md5('alpha')}  data/a.txt\n${md5('bet')}  data/sub/b.txt\n`,
      },
      ['warning the payload has only md5 or sha1 checksums: they show accidents, not forgery'],
    ],
    [
      'a tag file that is in no tag manifest',
      {
        'tagmanifest-md5.txt': ['bagit.txt', 'bag-info.txt']
          .map((name) => `${md5(soundBag()[name] ?? '')}  ${name}\n`)
          .join(''),
      },
      ['warning "manifest-sha256.txt" is not in tagmanifest-md5.txt, so nothing shows whether it was changed'],
    ],
    [
      'an unknown algorithm beside a known one',
      { 'manifest-crc32.txt': 'ab  data/a.txt\nab  data/sub/b.txt\n' },
      ['warning manifest-crc32.txt: uses crc32, which cannot be checked here'],
    ],
    [
      'names that differ in case',
      { 'manifest-sha256.txt': `${manifest}${sha256('x')}  data/A.txt\n`, 'data/A.txt': 'x', 'bag-info.txt': '' },
      ['warning "data/a.txt" differs from "data/A.txt" only in case'],
    ],
    [
      'a name in another Unicode form',
      { 'manifest-sha256.txt': `${manifest}${sha256('x')}  data/é\n`, 'data/e\u0301': 'x', 'bag-info.txt': '' },
      ['warning manifest-sha256.txt:3: "data/é" is there as "data/e\u0301"'],
    ],
    [
      'a percent sign that was not encoded',
      { 'manifest-sha256.txt': `${manifest}${sha256('x')}  data/%25\n`, 'data/%25': 'x', 'bag-info.txt': '' },
      ['warning manifest-sha256.txt:3: "data/%" is there as "data/%25"'],
    ],
  ])('with %s is valid with a warning', async (_what, changes, messages) => {
    expect(await problems(changed(changes))).toEqual(messages);
  });

  it('needs data/, which may be empty', async () => {
    const empty = changed({
      'data/a.txt': undefined,
      'data/sub/b.txt': undefined,
      'manifest-sha256.txt': '',
      'bag-info.txt': undefined,
    });
    expect(await problems(empty)).toEqual(['error the payload directory data/ is missing']);
    expect(await problems(empty, (bag) => mkdir(join(bag, 'data')).then(() => {}))).toEqual([]);
  });

  it('may link within the bag and not out of it', async () => {
    const files = changed({ 'data/a.txt': undefined, 'a.txt': 'alpha' });
    expect(await problems(files, (bag) => symlink('../a.txt', join(bag, 'data/a.txt')))).toEqual([]);
    const out = await problems(files, async (bag) => {
      await writeFile(join(bag, '../secret'), 'alpha');
      await symlink('../../secret', join(bag, 'data/a.txt'));
      await symlink('nowhere', join(bag, 'data/dangling'));
      await symlink('sub', join(bag, 'data/directory'));
    });
    expect(out).toEqual(
      expect.arrayContaining([
        'error "data/a.txt" is a link that leaves the bag',
        'error "data/dangling" is a link to nothing',
        'error "data/directory" is a link to a directory',
      ]),
    );
  });

  it('is read by the rules of its version', async () => {
    const incomplete = { 'manifest-md5.txt': `${md5('alpha')}  data/a.txt\n` };
    for (const version of ['0.93', '0.94', '0.95', '0.96', '0.97'])
      expect(await problems(changed(incomplete, version))).toEqual([]);
    expect(await problems(changed(incomplete, '1.0'))).toHaveLength(1);
    expect(await problems(changed({ 'data/new': '' }, '0.97'))).toContain('error "data/new" is in no payload manifest');
    const twice = { 'manifest-sha256.txt': `${manifest}${sha256('alpha')}  data/a.txt\n` };
    expect(await problems(changed(twice, '0.97'))).toEqual([
      'warning manifest-sha256.txt:3: "data/a.txt" is named in line 1 already',
    ]);
    const packageInfo = { 'bag-info.txt': undefined, 'package-info.txt': 'Payload-Oxum: 1.1\n' };
    expect(await problems(changed(packageInfo, '0.95'))).toEqual([
      'error package-info.txt: Payload-Oxum is 1.1, but the payload has 8.2',
    ]);
    expect(await problems(changed(packageInfo, '0.96'))).toEqual([]);
    expect(await problems(changed({}, '0.92'))).toEqual([
      'error bagit.txt:1: names the version 0.92, which is not known',
    ]);
  });

  it('may have tag files of another encoding', async () => {
    const latin = changed({
      'bagit.txt': 'BagIt-Version: 0.97\nTag-File-Character-Encoding: ISO-8859-1\n',
      'manifest-sha256.txt': Buffer.from(`${manifest}${sha256('x')}  data/é\n`, 'latin1'),
      'data/é': 'x',
      'bag-info.txt': undefined,
    });
    expect(await problems(latin)).toEqual([]);
  });

  it('that cannot be read is not valid', async () => {
    if (process.getuid?.() === 0) return;
    expect(await problems(soundBag(), (bag) => chmod(join(bag, 'data/a.txt'), 0))).toEqual([
      expect.stringContaining('"data/a.txt" cannot be read'),
    ]);
  });
});

describe('an archive', () => {
  it.each(['zip', 'tar', 'tgz'])('as %s shows a flipped byte or a cut end', (extension) =>
    inTemporaryDirectory(async (directory) => {
      const source = join(directory, 'source');
      await writeTree(source, { 'a.png': 'a'.repeat(5000), 'b.png': 'marker' });
      const archive = join(directory, `bag.${extension}`);
      await writeBagArchive(source, archive);
      const sound = await readFile(archive);
      if (extension !== 'tgz') {
        const flipped = Buffer.from(sound);
        flipped.write('n', sound.indexOf('marker'));
        await writeFile(archive, flipped);
        const report = await validateBag(archive);
        expect(report.errors.map(({ code, path }) => [code, path])).toEqual([
          ['checksum_mismatch', 'data/b.png'],
          ['checksum_mismatch', 'data/b.png'],
        ]);
        await writeFile(archive, sound);
      }
      await truncate(archive, Math.floor(sound.length / 2));
      const cut = await validateBag(archive);
      expect(cut.valid).toBe(false);
      expect(cut.errors.map(({ code }) => code)).toContain('unreadable');
    }),
  );

  it('is refused to hold names outside of the bag, links, duplicates and strays', () =>
    inTemporaryDirectory(async (directory) => {
      const path = join(directory, 'bad.tar');
      const tar = tarPack();
      for (const [name, content] of Object.entries(soundBag())) tar.entry({ name: `bag/${name}` }, content);
      tar.entry({ name: 'bag/../../evil' }, 'x');
      tar.entry({ name: '/etc/evil' }, 'x');
      tar.entry({ name: 'bag/data/a.txt' }, 'other');
      tar.entry({ name: 'bag/data/link', type: 'symlink', linkname: '/etc/passwd' });
      tar.entry({ name: 'beside/x' }, 'x');
      tar.finalize();
      const out = createWriteStream(path);
      for await (const chunk of tar) out.write(chunk);
      await new Promise<void>((resolve) => out.end(resolve));
      expect((await validateBag(path)).errors.map(describeFinding)).toEqual([
        `"bag/../../evil" is refused: it has a segment '..'`,
        '"/etc/evil" is refused: it is absolute',
        '"data/a.txt" is in the archive twice',
        '"data/link" is a link to "/etc/passwd"',
        '"beside/x" is outside of the one top directory of the archive',
      ]);
    }));

  it('is known by its content, and other files are not archives', () =>
    inTemporaryDirectory(async (directory) => {
      await writeTree(directory, { 'source/a': 'A', text: 'no archive' });
      await writeBagArchive(join(directory, 'source'), join(directory, 'b.zip'));
      await rename(join(directory, 'b.zip'), join(directory, 'b.tgz'));
      expect((await validateBag(join(directory, 'b.tgz'))).valid).toBe(true);
      await expect(validateBag(join(directory, 'text'))).rejects.toThrow(BagOpenError);
      await expect(validateBag(join(directory, 'nothing'))).rejects.toThrow(BagOpenError);
    }));
});

describe('a bag with fetch.txt', () => {
  /** A server with the content `hello` at /o for those with the token, and two redirects to it. */
  async function withServer<T>(work: (origin: string, seen: string[]) => Promise<T>): Promise<T> {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization ?? '-'}`);
      if (request.url === '/moved') response.writeHead(302, { location: '/o' }).end();
      else if (request.url === '/away') response.writeHead(302, { location: `http://localhost:${port()}/open` }).end();
      else if (request.url === '/open' || request.headers.authorization === 'Bearer t')
        response.end(request.url === '/wrong' ? 'hullo' : 'hello');
      else response.writeHead(401).end();
    });
    const port = () => (server.address() as AddressInfo).port;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await work(`http://127.0.0.1:${port()}`, seen);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  async function holeyBag(path: string, url: string): Promise<void> {
    const bag = createBagWriter({
      name: 'b',
      target: { kind: 'archive', archiver: 'zip', destination: createWriteStream(path) },
      algorithms: ['sha256'],
      scratchDir: join(path, '..'),
      references: true,
    });
    await bag.addFile('local', bytes('here'));
    await bag.addReference({ path: 'far', url, length: 5, hashes: { sha256: sha256('hello') } });
    await bag.finish();
  }

  it('is incomplete without the content, and that is an error unless allowed', () =>
    inTemporaryDirectory(async (directory) => {
      const path = join(directory, 'b.zip');
      await holeyBag(path, 'https://x.org/o');
      const report = await validateBag(path);
      expect(report.errors.map(describeFinding)).toEqual([
        'fetch.txt:1: "data/far" is still to be fetched: the bag is not complete',
      ]);
      expect(report.fetch).toEqual({ entries: 1, missing: 1, fetched: 0 });
      expect(await validateBag(path, { allowMissingFetch: true })).toMatchObject({ valid: true, warningCount: 1 });
    }));

  it('is valid with the content fetched, the credential going only to trusted origins', () =>
    inTemporaryDirectory((directory) =>
      withServer(async (origin, seen) => {
        const path = join(directory, 'b.zip');
        const fetch = httpFetch({ headers: { authorization: 'Bearer t' }, trustedOrigins: [origin] });
        await holeyBag(path, `${origin}/moved`);
        expect(await validateBag(path, { fetch })).toMatchObject({
          valid: true,
          payload: { bytes: 9, files: 2 },
          fetch: { fetched: 1 },
        });
        expect(seen).toEqual(['/moved Bearer t', '/o Bearer t']);

        seen.length = 0;
        await holeyBag(path, `${origin}/away`);
        expect((await validateBag(path, { fetch })).errors.every(({ code }) => code === 'fetch_failed')).toBe(true);
        // whether or not localhost answers, it never saw the token
        expect(seen.filter((line) => line.startsWith('/open')).every((line) => line === '/open -')).toBe(true);
        expect(seen).toContain('/away Bearer t');
      }),
    ));

  it('is not valid when what is fetched is refused, missing or different', () =>
    inTemporaryDirectory((directory) =>
      withServer(async (origin) => {
        const path = join(directory, 'b.zip');
        await holeyBag(path, `${origin}/o`);
        const refused = await validateBag(path, { fetch: httpFetch() });
        expect(refused.errors.map(describeFinding)).toEqual([
          `fetch.txt:1: "data/far" cannot be fetched from ${origin}/o: the server answered 401`,
        ]);
        await rm(path);
        await holeyBag(path, `${origin}/wrong`);
        const fetch = httpFetch({ headers: { authorization: 'Bearer t' }, trustedOrigins: [origin] });
        expect((await validateBag(path, { fetch })).errors).toMatchObject([
          { code: 'checksum_mismatch', path: 'data/far' },
        ]);
        await rm(path);
        await holeyBag(path, 'ftp://x.org/o');
        expect((await validateBag(path, { fetch })).errors).toMatchObject([
          { code: 'fetch_failed', message: expect.stringContaining('ftp:') },
        ]);
      }),
    ));

  it('is checked like any file once it is complete', () =>
    inTemporaryDirectory(async (directory) => {
      const files = { ...soundBag(), 'fetch.txt': 'https://x.org/a\t5\tdata/a.txt\n' };
      await writeTree(directory, files);
      expect(await validateBag(directory)).toMatchObject({ valid: true, fetch: { entries: 1, missing: 0 } });
      await appendFile(join(directory, 'data/a.txt'), '!');
      expect((await validateBag(directory)).errors.map(({ code }) => code)).toEqual([
        'checksum_mismatch',
        'length_mismatch',
        'oxum_mismatch',
      ]);
    }));
});

describe('the report', () => {
  it('keeps a thousand messages and counts all', () =>
    inTemporaryDirectory(async (directory) => {
      const source = join(directory, 'source');
      await mkdir(source);
      const bag = join(directory, 'bag');
      await writeBagDirectory(source, bag, { algorithms: ['sha512'] });
      const lines = Array.from({ length: 1500 }, (_, index) => `${'0'.repeat(128)}  data/${index}\n`).join('');
      await writeFile(join(bag, 'manifest-sha512.txt'), lines);
      const report = await validateBag(bag);
      expect(report.errors).toHaveLength(1000);
      expect(report.errorCount).toBeGreaterThan(1500);
    }));
});
