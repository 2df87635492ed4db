import { createTestDatabase, type TestDatabase } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  checkSchema,
  type Database,
  fromDatabase,
  identifier,
  inline,
  type Migration,
  migrate,
  openDatabase,
  openDatabasePools,
  retryOnCollision,
  sql,
} from '../src/index.js';

let home: TestDatabase;
let database: Database;

beforeAll(async () => {
  home = await createTestDatabase('pgkit');
  database = openDatabase({ url: home.url, applicationName: 'pg-kit test', maxConnections: 4, acquireTimeout: 500 });
});

afterAll(async () => {
  await database.close();
  await home.drop();
});

describe('a database', () => {
  it('commits what succeeds and rolls back what rejects', async () => {
    await database.withConnection(null, (connection) => connection.execute(sql`create table t (n int)`));
    await database.transaction({}, (connection) => connection.execute(sql`insert into t values (${1})`));
    await expect(
      database.transaction({}, async (connection) => {
        await connection.execute(sql`insert into t values (${2})`);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    const rows = await database.withConnection(null, (connection) =>
      connection.query<{ n: number }>(sql`select n from t`),
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  it('keeps microseconds of timestamps', async () => {
    const [row] = await database.withConnection(null, (connection) =>
      connection.query<{ at: string }>(sql`select ${'2024-01-02T03:04:05.678901Z'}::timestamptz as at`),
    );
    expect(row?.at).toBe('2024-01-02 03:04:05.678901+00');
  });

  it('cancels the statement in PostgreSQL when the signal fires', async () => {
    const abort = new AbortController();
    const sleeping = database.withConnection(abort.signal, (connection) => connection.query(sql`select pg_sleep(20)`));
    setTimeout(() => abort.abort(new Error('client left')), 100);
    await expect(sleeping).rejects.toThrow('client left');
    const [row] = await database.withConnection(null, (connection) =>
      connection.query<{ running: string }>(
        sql`select count(*) as running from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep(20)%' and pid <> pg_backend_pid()`,
      ),
    );
    expect(row?.running).toBe('0');
  });

  it('answers 503 when no connection is free in time', async () => {
    const release: (() => void)[] = [];
    const holders = [1, 2, 3, 4].map(() =>
      database.withConnection(null, () => new Promise<void>((resolve) => release.push(resolve))),
    );
    await expect(database.withConnection(null, async () => 1)).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
    });
    for (const let_go of release) let_go();
    await Promise.all(holders);
  });

  it('reads every inlined text back unchanged, whatever it holds', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom("'", "\\'", '$$', '\\', "';--", '\u202e', '😀', "E'\\'"),
    );
    await database.withConnection(null, (connection) =>
      fc.assert(
        fc.asyncProperty(hostile, fc.array(hostile), async (text, list) => {
          fc.pre(
            !text.includes('\u0000') &&
              !list.some((item) => item.includes('\u0000')) &&
              text.isWellFormed() &&
              list.every((item) => item.isWellFormed()),
          );
          const statement = inline(sql`select ${text}::text as one, ${list}::text[] as many`);
          const { rows } = await connection.client.query(statement);
          expect(rows).toEqual([{ one: text, many: list }]);
        }),
        { numRuns: 200 },
      ),
    );
  });
});

describe('migrations', () => {
  it('run once each, also when several processes start together and after one was killed half-way', async () => {
    const steps = [
      {
        name: '0001-a',
        up: (knex: Database['knex']) => knex.raw('create table m (n int)') as unknown as Promise<void>,
      },
      {
        name: '0002-b',
        up: (knex: Database['knex']) => knex.raw('insert into m values (1)') as unknown as Promise<void>,
      },
    ];
    await Promise.all([migrate(database, steps), migrate(database, steps)]);
    await database.knex('schema_migrations_lock').update({ is_locked: 1 });
    expect(await migrate(database, [...steps, { name: '0003-c', up: async () => undefined }])).toEqual(['0003-c']);
    expect(await database.knex('m').select()).toEqual([{ n: 1 }]);
    // a process of the release before starts beside the newer schema
    expect(await migrate(database, steps)).toEqual([]);
  });

  it('is told from one that lacks steps', async () => {
    const { signal } = new AbortController();
    const none: Migration = { name: '0000-none', up: async () => undefined };
    await migrate(database, [none], 'public');
    await expect(checkSchema(database, [none], signal)).resolves.toBeUndefined();
    await expect(checkSchema(database, [none, { ...none, name: '0009-later' }], signal)).rejects.toThrow(
      'lacks 0009-later',
    );
  });
});

describe('errors of the database', () => {
  const refused = async (statement: string): Promise<unknown> =>
    fromDatabase(
      await database
        .withConnection(null, (connection) => connection.client.query(statement))
        .then(
          () => null,
          (error: unknown) => error,
        ),
      'work',
    );

  it('keep the sentence and the key that clients look for', async () => {
    await database.withConnection(null, (connection) =>
      connection.client.query('create table k (n int constraint k_n_key unique); insert into k values (1)'),
    );
    expect(await refused('insert into k values (1)')).toMatchObject({
      code: 'constraint_violation',
      status: 409,
      detail: 'duplicate key value violates unique constraint "k_n_key"\nDETAIL:  Key (n)=(1) already exists.',
    });
  });

  it('do not dump the failing row', async () => {
    await database.withConnection(null, (connection) =>
      connection.client.query('create table nn (c int not null, secret text)'),
    );
    const error = await refused("insert into nn (secret) values ('hidden')");
    expect(error).toMatchObject({ code: 'constraint_violation' });
    expect(String(error)).not.toContain('hidden');
  });

  it('are 400 while literals are converted and 409 elsewhere', async () => {
    const cause = await database
      .withConnection(null, (connection) => connection.client.query("select 'x'::int4"))
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(fromDatabase(cause, 'literals')).toMatchObject({ status: 400 });
    expect(fromDatabase(cause, 'work')).toMatchObject({ status: 409 });
  });

  it('name the time limit in the words clients search for', async () => {
    const error = await refused("set statement_timeout = '20ms'; select pg_sleep(5)");
    expect(error).toMatchObject({ status: 400 });
    expect(String(error)).toContain('Query run time limit exceeded');
  });

  it('say 503 when the server is away', async () => {
    const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', applicationName: 'x', maxConnections: 1 });
    await expect(away.withConnection(null, async () => 1)).rejects.toMatchObject({ status: 503 });
    await away.close();
  });
});

describe('pools of many databases', () => {
  it('stay under the common bound by closing the pool longest unused', async () => {
    const homes = await Promise.all([1, 2, 3].map(() => createTestDatabase('pools')));
    const pools = openDatabasePools({ total: 2, perDatabase: 2, applicationName: 'pools', acquireTimeout: 2_000 });
    for (const { url } of homes) {
      await pools.use(url, (one) => one.withConnection(null, (connection) => connection.query(sql`select 1`)));
      const { used, free } = pools.usage();
      expect(used + free).toBeLessThanOrEqual(2);
    }
    await pools.close();
    await Promise.all(homes.map((one) => one.drop()));
  });
});

describe('collisions', () => {
  it('are tried again and succeed when the other has finished', async () => {
    await database.withConnection(null, (connection) =>
      connection.client.query('create table c (n int); insert into c values (0)'),
    );
    const increment = () =>
      retryOnCollision(() =>
        database.transaction({ isolation: 'serializable' }, async (connection) => {
          const [row] = await connection.query<{ n: number }>(sql`select n from ${identifier('c')}`);
          await connection.execute(sql`update c set n = ${(row?.n ?? 0) + 1}`);
        }),
      );
    await Promise.all([increment(), increment(), increment()]);
    expect(await database.knex('c').select()).toEqual([{ n: 3 }]);
  });

  it('runs again when it met a change of the system tables, and not after other internal errors', async () => {
    const failingWith = (message: string) => {
      let attempts = 0;
      return retryOnCollision(async () => {
        attempts += 1;
        const raise = `do $$ begin raise exception using errcode = 'XX000', message = '${message}'; end $$`;
        if (attempts === 1) await database.withConnection(null, (connection) => connection.client.query(raise));
        return attempts;
      });
    };
    expect(await failingWith('tuple concurrently updated')).toBe(2);
    expect(await failingWith('cache lookup failed for type 7')).toBe(2);
    await expect(failingWith('invalid page in block 0')).rejects.toThrow('invalid page');
  });
});
