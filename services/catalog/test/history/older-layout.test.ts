import { openDatabase, sql } from '@holdfast/pg-kit';
import { createTestDatabase } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { stateAt } from '../../src/history/resolve-snapshot.js';
import { catalogMigrations } from '../../src/migrations/catalog-layout.js';
import { runMigrations } from '../../src/migrations/run-migrations.js';

it('a catalog of an older layout captures from its migration on, and says that older rows were not kept', async () => {
  const created = await createTestDatabase('history');
  const database = openDatabase({ url: created.url, applicationName: 'test', maxConnections: 2 });
  const change = (text: string) =>
    database.withConnection(null, (connection) =>
      connection.client.query(`begin; select _catalog.begin_change('alice', 1000); ${text};
        insert into _catalog.snap select _catalog.now(), 'alice', true, '{}'; commit`),
    );
  const rename = (name: string) =>
    `update public."Catalog_Client" set "Display_Name" = '${name}', "RMT" = _catalog.now() where "ID" = 'a'`;
  try {
    const all = catalogMigrations('Catalog_');
    await runMigrations(
      database,
      all.filter(({ name }) => name < '0005'),
    );
    await change(
      `insert into public."Catalog_Client" ("ID", "Display_Name", "Client_Object") values ('a', 'first', '{}')`,
    );
    await change(rename('second'));
    await runMigrations(database, all);
    await change(rename('third'));
    const { snapshots, versions } = await database.withConnection(null, async (connection) => {
      const snaps = await connection.query<{ readonly micros: string }>(
        sql`select _catalog.micros(ts)::text as micros from _catalog.snap order by ts`,
      );
      const [client] = await connection.query<{ readonly rid: string }>(
        sql`select rid from _catalog.elem where kind = 'table' and doc->>'builtin' = 'client'`,
      );
      const [name] = await connection.query<{ readonly rid: string }>(
        sql`select rid from _catalog.elem where kind = 'column' and parent = ${client?.rid ?? ''} and doc->>'name' = 'Display_Name'`,
      );
      const states = [];
      for (const { micros } of snaps) states.push(await stateAt(connection, BigInt(micros)));
      const { rows } = await connection.client.query(
        `select "c_${name?.rid}" as name from _catalog."h_${client?.rid}" order by lo`,
      );
      return { snapshots: states, versions: rows };
    });
    expect(snapshots.map((state) => state?.rowsKept)).toEqual([false, true, true]);
    expect(versions).toEqual([{ name: 'second' }]);
  } finally {
    await database.close();
    await created.drop();
  }
});

it('a catalog of an older layout gets the triggers of its tables anew', async () => {
  const created = await createTestDatabase('history');
  const database = openDatabase({ url: created.url, applicationName: 'test', maxConnections: 2 });
  const run = (text: string) => database.withConnection(null, (connection) => connection.client.query(text));
  try {
    const all = catalogMigrations('Catalog_');
    await runMigrations(
      database,
      all.filter(({ name }) => name < '0007'),
    );
    await run(`drop trigger _catalog_touch on public."Catalog_RID_Lease"`);
    await run(`insert into public."Catalog_RID_Lease" ("ID") values ('x')`);
    await runMigrations(database, all);
    await run(`update public."Catalog_RID_Lease" set "RMT" = '2100-01-01'`);
    const { rows } = await run(`select "RMT" <= now() + interval '1 hour' as set from public."Catalog_RID_Lease"`);
    expect(rows).toEqual([{ set: true }]);
  } finally {
    await database.close();
    await created.drop();
  }
});

it('a catalog of an older layout gets the functions of its triggers anew', async () => {
  const created = await createTestDatabase('history');
  const database = openDatabase({ url: created.url, applicationName: 'test', maxConnections: 2 });
  const run = (text: string) => database.withConnection(null, (connection) => connection.client.query(text));
  const write = `begin; select _catalog.begin_change('alice', 1000);
    update public."Catalog_Client" set "Display_Name" = 'x', "RMT" = _catalog.now(); commit`;
  try {
    const all = catalogMigrations('Catalog_');
    await runMigrations(
      database,
      all.filter(({ name }) => name < '0006'),
    );
    const { rows } = await run(`select rid from _catalog.elem where kind = 'table' and doc->>'builtin' = 'client'`);
    const name = `_catalog."capture_${String(rows[0]?.rid)}"`;
    await run(`create or replace function ${name}() returns trigger language plpgsql as $$
      begin raise exception 'an older function'; end $$`);
    await expect(run(write)).rejects.toThrow('an older function');
    await run('rollback').catch(() => undefined);
    await runMigrations(database, all);
    await run(write);
  } finally {
    await database.close();
    await created.drop();
  }
});
