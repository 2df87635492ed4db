import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { type Archiver, completeBag, createBagWriter, httpFetch, validateBag } from '../src/index.js';
import { bytes, inTemporaryDirectory } from './support.js';

const files: Readonly<Record<string, string>> = { '/a': 'alpha', '/b': 'bet' };
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** A server whose files need the token `t`. */
async function withServer<Result>(
  work: (origin: string, asked: IncomingMessage[]) => Promise<Result>,
  answer = files,
): Promise<Result> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const content = answer[request.url ?? ''];
    response.statusCode = request.headers.authorization !== 'Bearer t' ? 401 : content === undefined ? 404 : 200;
    response.end(response.statusCode === 200 ? content : '');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function holeyBag(directory: string, origin: string, archiver: Archiver): Promise<string> {
  const path = join(directory, `holey.${archiver}`);
  const bag = createBagWriter({
    name: 'b',
    target: { kind: 'archive', archiver, destination: createWriteStream(path) },
    algorithms: ['md5'],
    references: true,
    scratchDir: directory,
  });
  await bag.addFile('here.txt', bytes('here'));
  for (const [name, content] of Object.entries(files)) {
    await bag.addReference({
      path: `far${name}`,
      url: `${origin}${name}`,
      length: content.length,
      hashes: { md5: md5(content) },
    });
  }
  await bag.finish();
  return path;
}

const fetchFrom = (origin: string, token = 't') =>
  httpFetch({ headers: { authorization: `Bearer ${token}` }, trustedOrigins: [origin] });

describe('completing a bag', () => {
  it.each(['zip', 'tar'] as const)('fetches what a %s bag refers to, into a directory', (archiver) =>
    inTemporaryDirectory((directory) =>
      withServer(async (origin) => {
        const archive = await holeyBag(directory, origin, archiver);
        expect((await validateBag(archive)).valid).toBe(false);
        const into = join(directory, 'completed');
        expect(await completeBag(archive, { fetch: fetchFrom(origin), into })).toEqual({
          directory: join(into, 'b'),
          fetched: 2,
          bytes: 8,
          failures: [],
        });
        expect(await readFile(join(into, 'b/data/far/a'), 'utf8')).toBe('alpha');
        expect(await validateBag(join(into, 'b'))).toMatchObject({ valid: true, payload: { files: 3 } });
        await expect(completeBag(archive, { fetch: fetchFrom(origin), into })).rejects.toMatchObject({ code: 'usage' });
      }),
    ),
  );

  it('names what could not be fetched, and goes on with it the next time', () =>
    inTemporaryDirectory(async (directory) => {
      const into = join(directory, 'out');
      const bag = join(into, 'b');
      await withServer(
        async (origin) => {
          const archive = await holeyBag(directory, origin, 'zip');
          const refused = await completeBag(archive, { fetch: fetchFrom(origin, 'wrong'), into });
          expect(refused.failures.map(({ reason }) => reason)).toEqual([
            'the server answered 401',
            'the server answered 401',
          ]);
          const half = await completeBag(bag, { fetch: fetchFrom(origin) });
          expect(half).toMatchObject({
            fetched: 1,
            failures: [{ path: 'data/far/b', reason: 'it has more than 3 bytes' }],
          });
          expect(await readdir(join(bag, 'data/far'))).toEqual(['a']);
        },
        { ...files, '/b': 'beta' },
      );
    }));

  it('fetches nothing into a bag that is not in order, nor through a link that leaves it', () =>
    inTemporaryDirectory((directory) =>
      withServer(async (origin, asked) => {
        const archive = await holeyBag(directory, origin, 'zip');
        const into = join(directory, 'out');
        await completeBag(archive, { fetch: fetchFrom(origin, 'wrong'), into });
        asked.length = 0;
        await mkdir(join(directory, 'elsewhere'));
        const bag = join(into, 'b');
        await rm(join(bag, 'data/far'), { recursive: true, force: true });
        await symlink(join(directory, 'elsewhere'), join(bag, 'data/far'));
        await expect(completeBag(bag, { fetch: fetchFrom(origin) })).rejects.toMatchObject({ code: 'invalid_bag' });
        expect(asked).toEqual([]);
        expect(await readdir(join(directory, 'elsewhere'))).toEqual([]);
      }),
    ));

  it('is a command, which shows the token to the origin named only', () =>
    inTemporaryDirectory((directory) =>
      withServer(async (origin, asked) => {
        const archive = await holeyBag(directory, origin, 'tgz');
        const without = await run('fetch', archive, join(directory, 'no'));
        expect([without.status, asked.map(({ headers }) => headers.authorization)]).toEqual([
          1,
          [undefined, undefined],
        ]);
        expect(without.stderr).toContain('BAGIT_TOKEN is not sent');
        const done = await run('fetch', archive, join(directory, 'yes'), '--origin', origin);
        expect([done.status, done.stdout]).toEqual([0, `${join(directory, 'yes/b')}: 2 files fetched, 8 bytes\n`]);
        expect((await validateBag(join(directory, 'yes/b'))).valid).toBe(true);
      }),
    ));
});

function run(
  ...args: string[]
): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
  const program = fileURLToPath(new URL('../src/cli.js', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, BAGIT_TOKEN: 't' } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}

const hasPython = spawnSync('python3', ['-c', 'import bagit']).status === 0;
if (!hasPython) process.stderr.write('SKIPPED: no Python with the module bagit, no second opinion on completed bags\n');

(hasPython ? describe : describe.skip)('the validator of the Library of Congress', () => {
  it.each(['zip', 'tgz', 'bz2', 'tar'] as const)('accepts a completed %s bag', (archiver) =>
    inTemporaryDirectory((directory) =>
      withServer(async (origin) => {
        const archive = await holeyBag(directory, origin, archiver);
        const into = join(directory, 'out');
        await completeBag(archive, { fetch: fetchFrom(origin), into });
        const script = 'import bagit, sys; bagit.Bag(sys.argv[1]).validate()';
        const { status, stderr } = spawnSync('python3', ['-c', script, join(into, 'b')], { encoding: 'utf8' });
        expect([status, stderr]).toEqual([0, '']);
      }),
    ),
  );
});
