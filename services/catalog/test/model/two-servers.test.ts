import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres, temporaryDirectory } from '@holdfast/stack';
import { testPostgresUrl } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

const json = { 'content-type': 'application/json' };

/** Catalogs of one registry on two PostgreSQL servers (spec/catalog-access.md 12.1). */
describe('two database servers', () => {
  let directory: string;
  let second: EmbeddedPostgres;
  let fixture: CatalogFixture;
  let servers: string;
  const paths: string[] = [];

  beforeAll(async () => {
    directory = await temporaryDirectory('holdfast-second-');
    second = await startEmbeddedPostgres({ dataDir: join(directory, 'postgres'), durable: false });
    servers = JSON.stringify([
      { name: 'first', url: testPostgresUrl() },
      { name: 'second', url: second.url },
    ]);
    fixture = await startCatalog({ environment: { CATALOG_SERVERS: servers } });
  });
  afterAll(async () => {
    await fixture.close();
    await second.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function onSecond(database: string, text: string): Promise<readonly unknown[]> {
    const url = new URL(second.url);
    url.pathname = `/${database}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(text);
    await client.end();
    return rows;
  }

  const catalogsOnSecond = () =>
    onSecond('postgres', `select datname as name from pg_database where datname ~ '^catalog_' order by oid`);

  it('share the catalogs evenly', async () => {
    for (let count = 0; count < 4; count += 1) paths.push(await fixture.createCatalog());
    expect(await catalogsOnSecond()).toHaveLength(2);
    const { json: rows } = await fixture.request('alice', 'GET', '/catalog/0/attribute/registry/is_catalog=true/id');
    expect(rows).toHaveLength(5);
  });

  it('are no different: model, rows, changes by hand, aliases, deletion', async () => {
    const [, path = ''] = paths;
    const [database] = (await catalogsOnSecond()) as readonly { readonly name: string }[];
    const column = { name: 'n', type: 'int4', nullok: false };
    const tables = { t: { column_definitions: [column], keys: [{ unique_columns: ['n'] }] } };
    expect((await fixture.request('alice', 'POST', `${path}/schema`, { schemas: { S: { tables } } })).status).toBe(201);
    const posted = await fixture.request('alice', 'POST', `${path}/entity/S:t`, [{ n: 1 }, { n: 2 }], json);
    expect(posted.status).toBe(200);
    await onSecond(
      database?.name ?? '',
      `do $$ begin create view "S".v as select n from "S".t where n > 1; perform _catalog.model_changed(); end $$`,
    );
    expect((await fixture.request('alice', 'GET', `${path}/entity/S:v`)).json).toEqual([{ n: 2 }]);
    await fixture.request('alice', 'POST', '/alias', { id: 'there', alias_target: path.slice('/catalog/'.length) });
    expect((await fixture.request('alice', 'GET', '/catalog/there/aggregate/S:t/n:=cnt(*)')).json).toEqual([{ n: 2 }]);
    expect((await fixture.request('alice', 'DELETE', path)).status).toBe(204);
    expect((await fixture.request('alice', 'GET', path)).status).toBe(404);
    expect(await catalogsOnSecond()).toHaveLength(1);
  });

  it('the next catalog goes where there are fewer now', async () => {
    await fixture.createCatalog();
    expect(await catalogsOnSecond()).toHaveLength(2);
  });

  it('another rule of placement is a matter of the configuration', async () => {
    const environment = { CATALOG_SERVERS: servers, CATALOG_PLACEMENT: 'last_listed' };
    const other = await startCatalog({ registryUrl: fixture.registryUrl, environment });
    try {
      for (let count = 0; count < 3; count += 1) await other.createCatalog();
    } finally {
      await other.close();
    }
    expect(await catalogsOnSecond()).toHaveLength(5);
  });

  it('one that is away takes its own catalogs with it and no others', async () => {
    await second.stop();
    const [first = '', , , onTheOther = ''] = paths;
    const away = await fixture.request('alice', 'GET', onTheOther);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    expect((await fixture.request('alice', 'GET', first)).status).toBe(200);
    expect((await fixture.request('alice', 'GET', '/')).status).toBe(200);
  });
});
