import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadProcessors } from '../src/steps/external-processor.js';
import { type Harness, startHarness } from './support/harness.js';
import { readZip } from './support/read-zip.js';
import { withRows } from './support/requests.js';

const MODULE = `
export const processor = {
  mediaType: 'text/plain',
  async *run(context) {
    let text = '';
    for await (const chunk of await context.query(context.queryPath, 'text/csv')) text += chunk;
    context.log('warning', 'looked at ' + context.queryPath);
    const name = context.outputFilename ?? 'summary.txt';
    yield { path: context.outputPath + '/' + name, content: [Buffer.from(context.params.greeting + text.length)] };
    yield { path: 'away.bin', url: 'https://y.org/away', length: 3, hashes: { md5: '${'a'.repeat(32)}' } };
  },
};`;

const query = {
  processor: 'summary',
  processor_type: 'org.example.Summary',
  processor_params: { query_path: '/entity/s:t', output_path: 's/{who}', greeting: 'hello ' },
};
const request = { env: { who: 'alice' }, catalog: { host: 'x.org', queries: [query] } };

describe('processors of the operator', () => {
  let directory: string;
  let service: Harness;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-processor-'));
    const path = join(directory, 'summary.mjs');
    await writeFile(path, MODULE);
    service = await startHarness({
      environment: { EXTERNAL_PROCESSORS: JSON.stringify({ 'org.example.Summary': path }) },
    });
    withRows(service.catalog);
  });
  afterAll(async () => {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('make files and references in a file export', async () => {
    const answer = await service.post('/file', request);
    const urls = (await answer.text()).split('\n');
    expect(urls.map((url) => url.split('/').slice(6).join('/'))).toEqual([
      's/alice/summary.txt',
      'remote-file-manifest.json',
    ]);
    const result = await service.get(urls[0] ?? '');
    expect([result.headers.get('content-type'), await result.text()]).toEqual(['text/plain', 'hello 18']);
    const log = await (await service.get(`/file/${answer.headers.get('x-export-id')}/log`)).text();
    expect(log).toContain('WARNING looked at /entity/s:t');
    expect(service.catalog.asked.map(({ path, sub }) => [path, sub])).toEqual([['@2YQ-TEST-SNAP/entity/s:t', 'alice']]);
  });

  it('make both in a bag', async () => {
    const bag = { bag_name: 'b', bag_archiver: 'zip' };
    const answer = await service.post('/bag', { bag, ...request });
    const files = await readZip(Buffer.from(await (await service.get(await answer.text())).arrayBuffer()));
    expect(files.get('b/data/s/alice/summary.txt')).toBe('hello 18');
    expect(files.get('b/fetch.txt')).toBe('https://y.org/away\t3\tdata/away.bin\n');
    expect(files.get('b/bag-info.txt')).toContain('Source-Query: /entity/s:t > s/alice\n');
  });

  it('obey the rules of paths', async () => {
    const escaping = { ...query, processor_params: { ...query.processor_params, output_filename: '../../x' } };
    const answer = await service.post('/file', { ...request, catalog: { host: 'x.org', queries: [escaping] } });
    expect(answer.status).toBe(400);
  });

  it('are only those that are registered', async () => {
    const other = { ...query, processor_type: join(directory, 'summary.mjs') };
    const answer = await service.post('/file', { ...request, catalog: { host: 'x.org', queries: [other] } });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('not registered') });
  });

  it.each([
    'export const processor = { run() {} };',
    'export const other = 1;',
    "export const processor = { mediaType: 'a/b' };",
  ])('are refused at the start when they are not what they must be: %s', async (text) => {
    const path = join(directory, `wrong-${text.length}.mjs`);
    await writeFile(path, text);
    await expect(loadProcessors({ wrong: path })).rejects.toThrow('must export "processor"');
  });
});
