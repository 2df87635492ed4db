import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPython } from '@holdfast/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Harness, startHarness } from './support/harness.js';
import { readZip } from './support/read-zip.js';
import { withRows } from './support/requests.js';

const command = fileURLToPath(new URL('cli.js', import.meta.resolve('@holdfast/bagit')));
const python = findPython('bagit');
if (python.kind === 'none') {
  process.stderr.write(`SKIPPED: ${python.reason}; bags are not shown to the tool of the Library of Congress\n`);
}

/** A token as far as the fake store looks at it. */
const aliceToken = `x.${Buffer.from('{"sub":"alice"}').toString('base64url')}.y`;

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a program to its end; what it says goes into `output`. */
function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { PATH: process.env.PATH, ...environment } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += String(data);
      });
    }
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output }));
  });
}

const bagit = (args: readonly string[], environment?: NodeJS.ProcessEnv) =>
  run(process.execPath, [command, ...args], environment);

describe('a bag of the service, in the hands of other tools', () => {
  let service: Harness;
  let directory: string;
  beforeAll(async () => {
    service = await startHarness({ reachableStore: true });
    withRows(service.catalog);
    const { origin } = service.store;
    // no % in names: the tool of the Library of Congress (1.9.0) does not decode %25, which RFC 8493 asks for
    const rows = ['one', 'two words', 'drei Äpfel'].map((name) => ({
      url: `${origin}${service.store.add(`/os/a/${encodeURIComponent(name)}`, `content of ${name}`)}`,
      filename: `${name}.txt`,
    }));
    service.catalog.answers.set('/attribute/files', rows);
    // its objects are alice's alone
    service.store.refuse = (_method, path, sub) => (path.startsWith('/os/a/') && sub !== 'alice' ? 401 : null);
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-tools-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function exported(archiver: string, processors: readonly string[]): Promise<string> {
    const queries = [
      { processor: 'csv', query_path: '/entity/s:t', output_path: 'tables/t' },
      ...processors.map((processor) => ({ processor, query_path: '/attribute/files', output_path: processor })),
    ];
    const bag = { bag_name: 'plots', bag_archiver: archiver, bag_ro: true, bag_metadata: { 'Contact-Name': 'Ann Ö' } };
    const answer = await service.post('/bag', { bag, catalog: { host: 'x.org', queries } });
    const url = await answer.text();
    expect([answer.status, answer.status === 200 ? '' : url]).toEqual([200, '']);
    const path = join(directory, `plots.${archiver}`);
    await writeFile(path, Buffer.from(await (await service.get(url)).arrayBuffer()));
    return path;
  }

  const archivers = ['zip', 'tgz', 'bz2', 'tar'];

  it.each(archivers)(
    'is incomplete, is completed with a token, and is valid then (%s)',
    async (archiver) => {
      const path = await exported(archiver, ['fetch', 'download']);
      const before = await bagit(['validate', path]);
      expect([before.status, before.output]).toEqual([1, expect.stringContaining('fetch')]);
      const into = ['--origin', service.store.origin];
      expect((await bagit(['fetch', path, directory, ...into])).status).toBe(1);
      // unpacked by then; what is missing is fetched now
      const fetched = await bagit(['fetch', join(directory, 'plots'), ...into], { BAGIT_TOKEN: aliceToken });
      expect([fetched.status, fetched.output]).toEqual([0, expect.stringContaining('3 files fetched')]);
      const after = await bagit(['validate', join(directory, 'plots')]);
      expect([after.status, after.output]).toEqual([0, expect.stringContaining('valid, BagIt 1.0, 7 files')]);
    },
    60_000,
  );

  it('tells in its research object where each file came from and when, if that is asked for', async () => {
    const path = await exported('zip', ['download']);
    const files = await readZip(await readFile(path));
    const manifest: unknown = JSON.parse(files.get('plots/metadata/manifest.json') ?? '');
    const aggregates = [
      'tables/t.csv',
      'download/one.txt',
      'download/two%20words.txt',
      'download/drei%20%C3%84pfel.txt',
    ];
    expect(manifest).toMatchObject({
      createdBy: { name: expect.stringMatching(/^Holdfast export/) },
      aggregates: aggregates.map((name) => ({ uri: `../data/${name}`, retrievedOn: expect.stringMatching(/^\d{4}-/) })),
    });
    expect(manifest).toMatchObject({
      aggregates: [
        { mediatype: 'text/csv', retrievedFrom: 'http://x.org/data/catalog/1@2YQ-TEST-SNAP/entity/s:t' },
        { retrievedFrom: expect.stringMatching(/\/os\/a\/one:V\d+$/) },
        {},
        {},
      ],
    });
    expect(files.get('plots/tagmanifest-md5.txt')).toContain('metadata/manifest.json');
  });

  (python.kind === 'program' ? it : it.skip).each(archivers)(
    'is valid for the tool of the Library of Congress, too (%s)',
    async (archiver) => {
      const path = await exported(archiver, ['fetch', 'download']);
      const token = { BAGIT_TOKEN: aliceToken };
      expect((await bagit(['fetch', path, directory, '--origin', service.store.origin], token)).status).toBe(0);
      const program = python.kind === 'program' ? python.python : '';
      const bag = join(directory, 'plots');
      const checked = await run(program, ['-m', 'bagit', '--validate', bag], { PYTHONIOENCODING: 'utf-8' });
      expect([checked.status, checked.output]).toEqual([0, expect.stringContaining('is valid')]);
      // it does look: one byte more is found
      await writeFile(join(bag, 'data/fetch/one.txt'), 'content of onE');
      const wrong = await run(program, ['-m', 'bagit', '--validate', bag], { PYTHONIOENCODING: 'utf-8' });
      expect(wrong.status).not.toBe(0);
    },
    60_000,
  );
});
