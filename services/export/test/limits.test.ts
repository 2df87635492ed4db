import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { csvOf, csvRequest, withRows } from './support/requests.js';

const bag = { bag_name: 'b', bag_archiver: 'zip' };
const bagPath = { file: '/file', bag: '/bag' } as const;

describe.each(['file', 'bag'] as const)('limits of a %s export', (kind) => {
  let service: Harness;
  afterEach(() => service.close());

  async function refusal(environment: Readonly<Record<string, string>>, body: object): Promise<unknown> {
    service = await startHarness({ environment });
    withRows(service.catalog);
    const rows = [1, 2, 3].map((n) => ({ url: service.store.add(`/os/f/${n}`, `content of ${n}`), filename: `${n}` }));
    service.catalog.answers.set('/attribute/f', rows);
    const answer = await service.post(bagPath[kind], { bag, ...body });
    // files of a file export may have been stored before: the sweeper takes them
    await eventually(() => (stored().length === 0 ? true : null));
    return { status: answer.status, ...((await answer.json()) as object) };
  }

  function stored(): readonly string[] {
    return [...service.store.objects.keys()].filter((path) => path.includes('export-results'));
  }

  function queries(...list: readonly object[]): { readonly catalog: object } {
    return { catalog: { host: 'x.org', queries: list } };
  }

  const csv = (outputPath: string) => ({ processor: 'csv', query_path: '/entity/s:t', output_path: outputPath });
  const rowsOf = (processor: string) => ({ processor, query_path: '/attribute/f', output_path: 'f' });
  const tooLarge = { status: 400, code: 'too_large_output' };

  it('queries', async () => {
    const answer = await refusal({ MAX_QUERIES: '2' }, queries(csv('a'), csv('b'), csv('c')));
    expect(answer).toMatchObject({ status: 400, code: 'bad_request', detail: expect.stringContaining('2 queries') });
  });

  it('bytes of the request', async () => {
    const long = { ...csvRequest, env: { text: 'x'.repeat(2_000) } };
    expect(await refusal({ MAX_BODY_BYTES: '1000' }, long)).toMatchObject({ status: 413, code: 'too_large' });
  });

  it('bytes of the output, of tables and of downloads', async () => {
    expect(await refusal({ MAX_OUTPUT_BYTES: '17' }, csvRequest)).toMatchObject(tooLarge);
    await service.close();
    expect(await refusal({ MAX_OUTPUT_BYTES: '30' }, queries(rowsOf('download')))).toMatchObject(tooLarge);
  });

  it('files', async () => {
    expect(await refusal({ MAX_FILES: '2' }, queries(rowsOf('download')))).toMatchObject(tooLarge);
  });

  it('references', async () => {
    expect(await refusal({ MAX_FETCH_ENTRIES: '2' }, queries(rowsOf('fetch')))).toMatchObject(tooLarge);
  });

  it('scratch, which a tar needs for a table and a file export for references', async () => {
    const body = kind === 'bag' ? { bag: { ...bag, bag_archiver: 'tar' }, ...csvRequest } : queries(rowsOf('fetch'));
    expect(await refusal({ SCRATCH_QUOTA_BYTES: '10' }, body)).toMatchObject({ status: 500, code: 'scratch_full' });
  });

  it('time of the whole run', async () => {
    service = await startHarness({ environment: { JOB_TIMEOUT_SECONDS: '1' } });
    service.catalog.answers.set('/entity/drip', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/csv' });
      const timer = setInterval(() => response.write('1\n'), 50);
      response.once('close', () => clearInterval(timer));
    });
    const answer = await service.post(bagPath[kind], { bag, ...csvOf('/entity/drip') });
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('the 1 s') });
  });
});
