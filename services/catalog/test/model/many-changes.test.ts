import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeId } from '../../src/model/id-codec.js';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { type CatalogProcess, startCatalogProcess } from '../support/catalog-process.js';

const WRITERS = 4;
const CHANGES = 125;

/** Two processes on one database, a thousand changes of the model and reads between them. */
describe('many changes by two processes', () => {
  let fixture: CatalogFixture;
  let processes: readonly CatalogProcess[] = [];
  let path: string;

  beforeAll(async () => {
    fixture = await startCatalog();
    path = await fixture.createCatalog();
    const tables = Array.from({ length: WRITERS }, (_, index) => [`t${index}`, {}]);
    await fixture.request('alice', 'POST', `${path}/schema`, {
      schemas: { S: { tables: Object.fromEntries(tables) } },
    });
    processes = await Promise.all([startCatalogProcess(fixture.registryUrl), startCatalogProcess(fixture.registryUrl)]);
  });
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.stop()));
    await fixture.close();
  });

  const ask = (process: number, method: string, rest: string, body?: unknown, headers?: Record<string, string>) =>
    fixture.request('alice', method, `${processes[process % 2]?.url}${path}${rest}`, body, headers);

  it('each sees at once what the other has changed, none fails, and no lock stays', async () => {
    let writing = true;
    const write = async (writer: number): Promise<void> => {
      const columns = `/schema/S/table/t${writer}/column`;
      for (let count = 0; count < CHANGES; count += 1) {
        const makes = count % 2 === 0;
        const changed = makes
          ? await ask(writer + (count >> 1), 'POST', columns, { name: `c${count}`, type: 'int4' })
          : await ask(writer + (count >> 1), 'DELETE', `${columns}/c${count - 1}`);
        expect([changed.text, changed.status]).toEqual([changed.text, makes ? 200 : 204]);
        const read = await ask(writer + (count >> 1) + 1, 'GET', columns);
        const names = (read.json as readonly { readonly name: string }[]).map(({ name }) => name);
        expect(names.filter((name) => name.startsWith('c'))).toEqual(makes ? [`c${count}`] : []);
      }
    };
    /** Versions never go back, whichever process answers; an entity tag that is good for one is good for the other. */
    const watch = async (): Promise<number> => {
      let latest = 0n;
      let tag = '';
      let reads = 0;
      for (; writing; reads += 1) {
        const headers: Record<string, string> = tag === '' ? {} : { 'if-none-match': tag };
        const { status, json, headers: answered } = await ask(reads, 'GET', '/schema', undefined, headers);
        expect([200, 304]).toContain(status);
        if (status === 304) continue;
        tag = answered.get('etag') ?? '';
        const version = decodeId((json as { readonly snaptime: string }).snaptime) ?? 0n;
        expect(version).toBeGreaterThan(latest);
        latest = version;
      }
      return reads;
    };
    const readRows = async (): Promise<void> => {
      for (let count = 0; writing; count += 1) {
        const { status, text } = await ask(count, 'GET', `/entity/S:t${count % WRITERS}`);
        expect([text, status]).toEqual([text, 200]);
      }
    };
    const watching = [watch(), watch(), readRows()];
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
      writing = false;
    });
    await Promise.all([writers, ...watching]);
    const id = path.slice('/catalog/'.length);
    const [left] = await fixture.query(
      id,
      `select (select count(*) from pg_locks l join pg_database d on d.oid = l.database
                where not l.granted and d.datname = current_database())::int as waiting,
              (select count(*) from pg_stat_activity
                where datname = current_database() and state like 'idle in transaction%')::int as open,
              (select deadlocks from pg_stat_database where datname = current_database())::int as deadlocks`,
    );
    expect(left).toEqual({ waiting: 0, open: 0, deadlocks: 0 });
    const [made] = await fixture.query(id, 'select count(*)::int as changes from _catalog.snap where model');
    expect(made).toEqual({ changes: WRITERS * CHANGES + 2 });
    expect(processes.map((process) => process.log())).toEqual(['', '']);
  }, 120_000);
});
