import { type Database, openDatabase, sql } from '@holdfast/pg-kit';
import { createTestDatabase, type TestDatabase } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { beginChange, recordSnapshot } from '../../src/history/change.js';
import { catalogMigrations } from '../../src/migrations/catalog-layout.js';
import { runMigrations } from '../../src/migrations/run-migrations.js';
import { decodeId, encodeId } from '../../src/model/id-codec.js';

describe('functions of the catalog layout', () => {
  let created: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    created = await createTestDatabase('layout');
    database = openDatabase({ url: created.url, applicationName: 'test', maxConnections: 3 });
    const other = openDatabase({ url: created.url, applicationName: 'test', maxConnections: 2 });
    // two processes at once: the second waits and finds everything done
    await Promise.all([database, other].map((each) => runMigrations(each, catalogMigrations('Catalog_'))));
    await other.close();
  });
  afterAll(async () => {
    await database.close();
    await created.drop();
  });

  it('encode and decode like the service does', async () => {
    const numbers = fc.sample(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), 300);
    const edges = [
      0n,
      1n,
      15n,
      16n,
      524287n,
      524288n,
      549755813887n,
      549755813888n,
      -1n,
      -(1n << 63n),
      (1n << 63n) - 1n,
    ];
    const short = fc.sample(fc.bigInt({ min: 0n, max: 1n << 41n }), 300);
    const all = [...numbers, ...edges, ...short];
    const rows = await database.withConnection(null, (connection) =>
      connection.query<{ id: string; back: string }>(
        sql`select _catalog.encode_id(n) as id, _catalog.decode_id(_catalog.encode_id(n))::text as back
              from unnest(${all}::bigint[]) with ordinality as given (n, position) order by position`,
      ),
    );
    expect(rows.map(({ id }) => id)).toEqual(all.map(encodeId));
    expect(rows.map(({ back }) => BigInt(back))).toEqual(all);
  });

  it('decode any text alike', async () => {
    const symbols = fc.string({
      unit: fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTUVWXYZoilOILzaé-_ '),
      maxLength: 15,
    });
    const texts = [...fc.sample(symbols, 500), ...fc.sample(fc.string({ maxLength: 6 }), 200)].filter(
      (text) => !text.includes('\u0000'),
    );
    const rows = await database.withConnection(null, (connection) =>
      connection.query<{ number: string | null }>(
        sql`select _catalog.decode_id(id)::text as number
              from unnest(${texts}::text[]) with ordinality as given (id, position) order by position`,
      ),
    );
    expect(rows.map(({ number }) => (number === null ? null : BigInt(number)))).toEqual(texts.map(decodeId));
  });

  it('give RIDs in ascending order, each once', async () => {
    const rows = await database.withConnection(null, (connection) =>
      connection.query<{ rid: string }>(sql`select _catalog.next_rid() as rid from generate_series(1, 1000)`),
    );
    const numbers = rows.map(({ rid }) => decodeId(rid) ?? -1n);
    expect(numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0n) + 1n)).toBe(true);
  });

  it('convert instants without loss', async () => {
    const micros = 1_704_164_645_678_901n;
    const [row] = await database.withConnection(null, (connection) =>
      connection.query<{ at: string; back: string }>(
        sql`select _catalog.at_micros(${micros}::bigint)::text as at,
                   _catalog.micros(_catalog.at_micros(${micros}::bigint))::text as back`,
      ),
    );
    expect(row).toEqual({ at: '2024-01-02 03:04:05.678901+00', back: String(micros) });
  });

  it('let changes of a catalog follow each other, each later than the one before', async () => {
    await database.withConnection(null, (connection) =>
      connection.execute(
        sql`insert into _catalog.snap values (clock_timestamp() + interval '1 hour', null, true, '{}')`,
      ),
    );
    const change = (): Promise<bigint> =>
      database.transaction({}, async (connection) => {
        const begun = await beginChange(connection, 'alice');
        const [seen] = await connection.query<{ now: string; client: string }>(
          sql`select _catalog.micros(_catalog.now())::text as now, _catalog.client() as client`,
        );
        expect(seen).toEqual({ now: String(begun.micros), client: 'alice' });
        await recordSnapshot(connection, begun, { model: false, tables: [] });
        return begun.micros;
      });
    const instants = await Promise.all(Array.from({ length: 12 }, change));
    const sorted = [...instants].sort((a, b) => Number(a - b));
    // the clock is behind the last snapshot: each is the next possible microsecond
    expect(new Set(instants).size).toBe(12);
    expect((sorted[11] ?? 0n) - (sorted[0] ?? 0n)).toBe(11n);
  });

  it('give changes by hand an instant and a snapshot of their own', async () => {
    await database.withConnection(null, async (connection) => {
      const insert = sql`insert into public."Catalog_RID_Lease" ("ID") values ('a'), ('b') returning "RCT"::text as at, "RMB"`;
      const rows = await connection.query<{ at: string; RMB: string | null }>(insert);
      const [last] = await connection.query<{ ts: string }>(sql`select max(ts)::text as ts from _catalog.snap`);
      expect(rows).toEqual([
        { at: last?.ts, RMB: null },
        { at: last?.ts, RMB: null },
      ]);
    });
  });
});
