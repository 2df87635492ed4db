/**
 * `pnpm bench data`: reads, writes and small requests of the data interface, each against a floor of the same run: the same statement
 * behind an empty Express route, or raw COPY. Prints ratios; issue 4 says how large they may be. Give words of the titles to run
 * only some.
 */
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { type Candidate, measure, report, watchMemory } from '@holdfast/testkit';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type Answer, expectOk, serveCatalog } from './served-catalog.js';

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000);
const COLUMNS = '"RID", "RCT", "RMT", "RCB", "RMB", name, n, value, at, note';
const chosen = process.argv.slice(2).map((word) => word.toLowerCase());
let allKept = true;

const served = await serveCatalog(model());
try {
  await run();
} finally {
  await served.stop();
}
process.exitCode = allKept ? 0 : 1;

async function run(): Promise<void> {
  const { port, base } = served;
  const floor = await served.startFloor();
  const client = await served.connect();
  await fill(client);
  const { rows } = await client.query<{ rid: string }>('select "RID" as rid from b.big offset 5000 limit 1');
  const rid = rows[0]?.rid ?? '';
  const memory = watchMemory(served.pid);
  await reads(port, floor, base, client);
  await small(port, floor, base, rid);
  await writes(port, base, client);
  await client.end();
  if (wanted('memory')) process.stdout.write(`growth of the service's memory: ${memory.growth() ?? 'unknown'} MB\n`);
}

async function reads(catalog: number, floor: number, base: string, client: pg.Client): Promise<void> {
  const statement = (options: string, list = COLUMNS): string =>
    `/copy?statement=${encodeURIComponent(`copy (select ${list} from b.big) to stdout (${options})`)}`;
  const json = `(select row_to_json(o)::text from (select ${COLUMNS}) o)`;
  const jsonOptions = `format csv, quote E'\\x01', delimiter E'\\x02'`;
  await compare(`read ${ROWS} rows as CSV`, 1.1, 5, [
    { name: 'COPY through an empty Express route', run: () => drain(floor, statement('format csv, header')) },
    { name: 'GET entity, text/csv', run: () => drain(catalog, `${base}/entity/b:big`, 'text/csv') },
  ]);
  const bare = `copy (select ${COLUMNS} from b.big) to stdout (format csv, header)`;
  await compare(`read ${ROWS} rows as CSV, without HTTP in the floor`, 1.3, 5, [
    { name: 'COPY read by a bare client', run: () => finished(client.query(copyTo(bare)).resume()) },
    { name: 'GET entity, text/csv', run: () => drain(catalog, `${base}/entity/b:big`, 'text/csv') },
  ]);
  await compare(`read ${ROWS} rows as JSON stream`, 1.1, 3, [
    { name: 'COPY of row_to_json through an Express route', run: () => drain(floor, statement(jsonOptions, json)) },
    {
      name: 'GET entity, application/x-json-stream',
      run: () => drain(catalog, `${base}/entity/b:big`, 'application/x-json-stream'),
    },
  ]);
  await compare(`read ${ROWS} rows as JSON`, 1.1, 3, [
    { name: 'COPY of row_to_json through an Express route', run: () => drain(floor, statement(jsonOptions, json)) },
    { name: 'GET entity, application/json', run: () => drain(catalog, `${base}/entity/b:big`, 'application/json') },
  ]);
  await compare('aggregate count of 1 M rows', 1.1, 21, [
    { name: 'select count(*)', run: async () => void (await client.query('select count(*) as n from b.big')) },
    { name: 'GET aggregate', run: () => drain(catalog, `${base}/aggregate/b:big/n:=cnt(*)`) },
  ]);
}

async function small(catalog: number, floor: number, base: string, rid: string): Promise<void> {
  const oneRow = `/rows?statement=${encodeURIComponent(`select ${COLUMNS} from b.big where "RID" = $1`)}&value=${rid}`;
  const mine = `${base}/entity/b:big/RID=${rid}`;
  for (const clients of [1, 8]) {
    await compare(`one row by RID, ${clients} client(s), 400 requests each`, 1.66, 5, [
      { name: 'bare pg behind a bare Express route', run: () => repeat(clients, 400, () => drain(floor, oneRow)) },
      { name: 'GET entity/RID=', run: () => repeat(clients, 400, () => drain(catalog, mine)) },
    ]);
  }
  const joined = `select s.name as name, b.n as n, b.value as value from b.big b join b.small s on s.id = b.n where b.value > 0.5 and s.id < $1 order by b.value, s.name limit 25`;
  await compare('join of two tables, filter, sort, limit 25', 1.5, 9, [
    {
      name: 'the SQL behind a bare Express route',
      run: () => repeat(1, 5, () => drain(floor, `/rows?statement=${encodeURIComponent(joined)}&value=50`)),
    },
    {
      name: 'GET attribute',
      run: () =>
        repeat(1, 5, () =>
          drain(
            catalog,
            // back to B: without it the answer has one row for each row of S, not of the join
            `${base}/attribute/B:=b:big/value::gt::0.5/S:=b:small/id::lt::50/$B/S:name,B:n,B:value@sort(value,name)?limit=25`,
          ),
        ),
    },
  ]);
}

async function writes(catalog: number, base: string, client: pg.Client): Promise<void> {
  const csv = rowsAsCsv(100_000);
  const json = rowsAsJson(100_000);
  const empty = (table: string) => async (): Promise<void> => void (await client.query(`truncate b.${table}`));
  const copy = (table: string): Candidate => ({
    name: 'raw COPY into a table of the same definition',
    prepare: empty(table),
    run: async () =>
      pipeline(
        Readable.from([Buffer.from(csv)]),
        client.query(copyFrom(`copy b.${table} (name, n, value, at, note) from stdin (format csv, header)`)),
      ),
  });
  const post = (name: string, table: string, body: string, type: string): Candidate => ({
    name,
    prepare: empty(table),
    run: () => expectOk(send(catalog, 'POST', `${base}/entity/b:${table}`, body, type)),
  });
  await compare('POST 100,000 rows CSV, default indexes', 1.5, 3, [
    copy('indexed'),
    post('POST entity, text/csv', 'indexed', csv, 'text/csv'),
  ]);
  await compare('POST 100,000 rows CSV, only the RID key', 2.2, 3, [
    copy('plain'),
    post('POST entity, text/csv', 'plain', csv, 'text/csv'),
  ]);
  await compare('POST 100,000 rows JSON, default indexes', 3, 3, [
    copy('indexed'),
    post('POST entity, application/json', 'indexed', json, 'application/json'),
  ]);
  await update(catalog, base, client);
  await single(catalog, base, client);
}

async function update(catalog: number, base: string, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ rid: string }>('select "RID" as rid from b.big limit 10000');
  const body = `RID,n\n${rows.map(({ rid }, index) => `${rid},${index % 100}`).join('\n')}\n`;
  await compare('PUT attributegroup of 10,000 rows', 2, 5, [
    {
      name: 'UPDATE FROM a temporary table loaded by COPY',
      run: async () => {
        await client.query('begin; create temporary table u (rid text, n int4) on commit drop');
        await pipeline(
          Readable.from([Buffer.from(body)]),
          client.query(copyFrom('copy u from stdin (format csv, header)')),
        );
        await client.query(
          `update b.big t set n = u.n, "RMT" = clock_timestamp(), "RMB" = 'x' from u where t."RID" = u.rid; commit`,
        );
      },
    },
    {
      name: 'PUT attributegroup',
      run: () => expectOk(send(catalog, 'PUT', `${base}/attributegroup/b:big/RID;n`, body, 'text/csv')),
    },
  ]);
}

async function single(catalog: number, base: string, client: pg.Client): Promise<void> {
  const row = { name: 'single', n: 1, value: 0.5, at: '2024-01-01T00:00:00Z', note: 'one' };
  const insert = `with c as (select _catalog.begin_change('alice', 10000) as ts)
    insert into b.plain ("RID", "RCT", "RMT", "RCB", "RMB", name, n, value, at, note)
    select _catalog.next_rid(), c.ts, c.ts, 'alice', 'alice', 'single', 1, 0.5, '2024-01-01', 'one' from c returning *`;
  const snap = `insert into _catalog.snap (ts, client, model, tables) values (_catalog.now(), 'alice', false, '{}')`;
  await compare('100 single-row POSTs one after the other', 2.5, 5, [
    {
      name: 'the same transaction by a bare client',
      run: () =>
        repeat(1, 100, async () => {
          await client.query('begin');
          await client.query(insert);
          await client.query(snap);
          await client.query('commit');
        }),
    },
    {
      name: 'POST entity',
      run: () => repeat(1, 100, () => expectOk(send(catalog, 'POST', `${base}/entity/b:plain`, JSON.stringify([row])))),
    },
  ]);
  const bare = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const one = new pg.Client({ connectionString: await served.databaseUrl() });
      await one.connect();
      return one;
    }),
  );
  await compare('8 clients inserting 50 single rows each', 2.5, 3, [
    {
      name: 'the same by 8 bare clients',
      run: async () => {
        await Promise.all(
          bare.map((one) =>
            repeat(1, 50, async () => {
              await one.query('begin');
              await one.query(insert);
              await one.query(snap);
              await one.query('commit');
            }),
          ),
        );
      },
    },
    {
      name: 'POST entity',
      run: () => repeat(8, 50, () => expectOk(send(catalog, 'POST', `${base}/entity/b:plain`, JSON.stringify([row])))),
    },
  ]);
  await Promise.all(bare.map((one) => one.end()));
}

async function compare(title: string, limit: number, rounds: number, candidates: readonly Candidate[]): Promise<void> {
  if (!wanted(title)) return;
  const kept = report(title, await measure(candidates, rounds), limit);
  allKept &&= kept;
}

function wanted(title: string): boolean {
  return chosen.length === 0 || chosen.some((word) => title.toLowerCase().includes(word));
}

function send(port: number, method: string, path: string, body: string, type?: string): Promise<Answer> {
  return served.send(port, method, path, type === undefined ? { body } : { body, type });
}

function drain(port: number, path: string, accept?: string): Promise<void> {
  return served.drain(port, path, accept === undefined ? {} : { accept });
}

async function repeat(clients: number, times: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let count = 0; count < times; count += 1) await work();
    }),
  );
}

function model(): unknown {
  const definitions = [
    ['name', 'text'],
    ['n', 'int4'],
    ['value', 'float8'],
    ['at', 'timestamptz'],
    ['note', 'text'],
  ].map(([name, type]) => ({ name, type }));
  const bare = { 'tag:example.org,2018:indexing-preferences': { btree: false, trgm: false, gin_array: false } };
  const table = (table_name: string, annotations = {}) => ({
    table_name,
    annotations,
    column_definitions: definitions,
  });
  const small = {
    table_name: 'small',
    annotations: bare,
    column_definitions: [
      { name: 'id', type: 'int4', nullok: false },
      { name: 'name', type: 'text' },
    ],
    keys: [{ unique_columns: ['id'] }],
  };
  const big = {
    ...table('big', bare),
    foreign_keys: [
      {
        foreign_key_columns: [{ schema_name: 'b', table_name: 'big', column_name: 'n' }],
        referenced_columns: [{ schema_name: 'b', table_name: 'small', column_name: 'id' }],
      },
    ],
  };
  return { schemas: { b: { tables: { small, big, plain: table('plain', bare), indexed: table('indexed') } } } };
}

async function fill(client: pg.Client): Promise<void> {
  process.stdout.write(`filling ${ROWS} rows ...\n`);
  await client.query(`insert into b.small (id, name) select i, 'name ' || i from generate_series(0, 99) i`);
  await client.query(`insert into b.big (name, n, value, at, note)
    select 'row number ' || i, i % 100, (i::bigint * 7919 % 1000003) / 1000003.0, timestamptz '2020-01-01Z' + i * interval '1 second', case when i % 3 = 0 then null else 'a note with some words, ' || i end
    from generate_series(1, ${ROWS}) i`);
  await client.query('vacuum analyze');
}

function rowsAsCsv(count: number): string {
  const lines = Array.from(
    { length: count },
    (_, i) =>
      `row number ${i},${i % 100},${(i * 7919) % 1000},2020-01-01T00:00:00Z,${i % 3 === 0 ? '' : `"a note with words, ${i}"`}`,
  );
  return `name,n,value,at,note\n${lines.join('\n')}\n`;
}

function rowsAsJson(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => ({
    name: `row number ${i}`,
    n: i % 100,
    value: (i * 7919) % 1000,
    at: '2020-01-01T00:00:00Z',
    note: i % 3 === 0 ? null : `a note with words, ${i}`,
  }));
  return JSON.stringify(rows);
}
