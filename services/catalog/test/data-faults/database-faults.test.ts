import { testPostgresUrl } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type BigCatalog, ENDLESS, openBigCatalog, ROWS } from './big-catalog.js';
import { beginRequest, eventually, readBody } from './slow-client.js';

const formats = ['json', 'csv', 'application%2Fx-json-stream'];

describe('faults of the database', () => {
  let catalog: BigCatalog;

  beforeAll(async () => {
    catalog = await openBigCatalog({ STATEMENT_SECONDS: '1', WRITE_SECONDS: '1' });
  });
  afterAll(() => catalog.close());

  const ask = (method: string, path: string, body?: unknown) => catalog.ask(method, path, body);
  const count = async (): Promise<unknown> => (await ask('GET', 'aggregate/S:big/n:=cnt(*)')).json;

  it.each(formats)('refuse a read in %s that takes too long, with advice', async (format) => {
    const answer = await ask('GET', `attributegroup/${ENDLESS}/k?accept=${format}`);
    expect([answer.status, answer.json]).toEqual([
      400,
      expect.objectContaining({
        code: 'query_too_expensive',
        detail: expect.stringMatching(/^Query run time limit exceeded.*filters.*limit/),
      }),
    ]);
    expect(await catalog.active()).toEqual([]);
  });

  it('do not count the time in which rows flow', async () => {
    const { head } = beginRequest('GET', `${catalog.fixture.url}${catalog.path}/entity/S:big`);
    const message = await head;
    await new Promise((resolve) => {
      setTimeout(resolve, 1500);
    });
    const { complete, text } = await readBody(message);
    expect([complete, text.endsWith('}]\n')]).toEqual([true, true]);
  });

  it('refuse a change that takes too long, and change nothing', async () => {
    const answer = await ask('DELETE', `entity/${ENDLESS}`);
    expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ code: 'query_too_expensive' })]);
    expect(answer.text).toContain('Query run time limit exceeded');
    expect(await count()).toEqual([{ n: ROWS }]);
  });

  it.each(formats)('break an answer in %s that has begun: it never looks complete', async (format) => {
    const { head } = beginRequest('GET', `${catalog.fixture.url}${catalog.path}/entity/S:big?accept=${format}`);
    const message = await head;
    expect(message.statusCode).toBe(200);
    await eventually('the database waits', async () => (await catalog.active())[0]?.waitsFor === 'ClientWrite');
    const [backend] = await catalog.active();
    await catalog.sql(`select pg_terminate_backend(${backend?.pid ?? 0})`);
    const { complete } = await readBody(message);
    expect(complete).toBe(false);
    expect(await count()).toEqual([{ n: ROWS }]);
  });

  it('make a 503 with Retry-After when the database takes no connections', async () => {
    const admin = new pg.Client({ connectionString: testPostgresUrl() });
    await admin.connect();
    const [row] = await catalog.sql('select current_database() as name');
    const name = String(row?.name);
    try {
      await admin.query(`alter database "${name}" with allow_connections false`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      for (const [method, path, body] of [
        ['GET', 'entity/S:big?limit=1', undefined],
        ['POST', 'entity/S:big', [{ id: 200_001 }]],
        ['DELETE', 'entity/S:big/id=1', undefined],
      ] as const) {
        const answer = await ask(method, path, body);
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
      }
    } finally {
      await admin.query(`alter database "${name}" with allow_connections true`);
      await admin.end();
    }
    expect(await count()).toEqual([{ n: ROWS }]);
  });

  it('make a 503 when the connection is lost while rows are sent, and nothing is stored', async () => {
    const { call, head } = beginRequest('POST', `${catalog.fixture.url}${catalog.path}/entity/S:big`, {
      'content-type': 'text/csv',
    });
    call.write('id,k,text\n200002,1,a\n');
    await eventually('the rows wait for more', async () => (await catalog.active()).length === 1);
    const [backend] = await catalog.active();
    await catalog.sql(`select pg_terminate_backend(${backend?.pid ?? 0})`);
    await eventually('the backend has gone', async () => (await catalog.active()).length === 0);
    call.end('200003,1,b\n');
    const message = await head;
    expect([message.statusCode, message.headers['retry-after']]).toEqual([503, expect.any(String)]);
    expect(await count()).toEqual([{ n: ROWS }]);
  });

  describe('that collide with others', () => {
    /** Each write of the table fails with a serialization failure, but for the calls from this one on. */
    const failUntil = (call: number) =>
      catalog.sql(`
        create sequence if not exists public.collisions;
        alter sequence public.collisions restart;
        create or replace function public.collide() returns trigger language plpgsql as $$
          begin
            if nextval('public.collisions') < ${call} then raise exception 'a collision' using errcode = '40001'; end if;
            return null;
          end $$;
        create or replace trigger collide after insert or update or delete on "S".big
          for each statement execute function public.collide()`);
    const calls = async (): Promise<unknown> => (await catalog.sql('select last_value from public.collisions'))[0];
    afterAll(() =>
      catalog.sql('drop trigger collide on "S".big; drop function public.collide(); drop sequence public.collisions'),
    );

    it.each([
      ['POST', 'entity/S:big', [{ id: 300_001, k: 7 }], [{ id: 300_001, k: 7 }]],
      ['PUT', 'entity/S:big', [{ id: 300_001, k: 8 }], [{ id: 300_001, k: 8 }]],
      ['PUT', 'attributegroup/S:big/id;k', [{ id: 300_001, k: 9 }], [{ id: 300_001, k: 9 }]],
    ])('are tried again with the rows that were sent: %s %s', async (method, path, body, rows) => {
      await failUntil(3);
      const answer = await ask(method, path, body);
      expect([answer.status, answer.json]).toEqual([200, rows.map((row) => expect.objectContaining(row))]);
      const stored = await ask('GET', 'attribute/S:big/id=300001/id,k');
      expect(stored.json).toEqual(rows);
    });

    it('are given up after five attempts', async () => {
      await failUntil(1000);
      const answer = await ask('DELETE', 'entity/S:big/id=300001');
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
      expect(await calls()).toEqual({ last_value: '5' });
      await failUntil(2);
      expect((await ask('DELETE', 'entity/S:big/id=300001')).status).toBe(204);
    });
  });
});
