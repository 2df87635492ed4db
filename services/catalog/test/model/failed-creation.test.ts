import { testPostgresUrl } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CatalogFixture, onServer, startCatalog } from '../support/catalog-fixture.js';
import { eventually } from '../support/eventually.js';

/** Spec/catalog-model.md 3.2: the id stays claimed for those of its owner list. */
describe('a creation whose storage cannot be made', () => {
  let working: CatalogFixture;
  let failing: CatalogFixture;

  beforeAll(async () => {
    working = await startCatalog();
    const nowhere = new URL(testPostgresUrl());
    nowhere.port = '1';
    failing = await startCatalog({
      registryUrl: working.registryUrl,
      environment: { CATALOG_SERVERS: JSON.stringify([{ name: 'test', url: nowhere.href }]) },
    });
  });
  afterAll(async () => {
    await failing.close();
    await working.close();
  });

  it('answers 503 and keeps the id for its owner', async () => {
    const failed = await failing.request('alice', 'POST', '/catalog', { id: 'broken', name: 'first' });
    expect(failed.status).toBe(503);
    expect(failed.headers.get('retry-after')).not.toBeNull();
    expect((await working.request('alice', 'GET', '/catalog/broken')).status).toBe(404);
    expect((await working.request('bob', 'POST', '/catalog', { id: 'broken' })).status).toBe(403);
    const claim = await working.request('alice', 'GET', '/alias/broken');
    expect(claim.json).toEqual({ id: 'broken', owner: ['alice'], alias_target: null });
  });

  it('succeeds when it is tried again', async () => {
    const again = await working.request('alice', 'POST', '/catalog', { id: 'broken', name: 'second' });
    expect(again.status).toBe(201);
    const { json } = await working.request('alice', 'GET', '/catalog/broken');
    expect(json).toMatchObject({ id: 'broken', name: 'second' });
  });

  /** What the registry knows of an entry. */
  const entryOf = async (id: string): Promise<Readonly<Record<string, unknown>>> => {
    const [row] = await onServer(
      working.registryUrl,
      `select descriptor->>'database' as database, is_catalog, deleted_on is not null as deleted from registry.registry where id = $1`,
      [id],
    );
    return row ?? {};
  };
  const databasesCalled = (name: unknown) =>
    onServer(testPostgresUrl(), 'select datname from pg_database where datname = $1', [name]);

  it.each([
    ['catalog', {}],
    ['alias', {}],
    ['alias', { alias_target: 'broken' }],
  ])('leaves no database behind when its id is taken for a %s %j', async (word, document) => {
    const id = `left-${word}-${Object.keys(document).length}`;
    expect((await failing.request('alice', 'POST', '/catalog', { id })).status).toBe(503);
    const { database } = await entryOf(id);
    // as if the process had died after it had made the database
    await onServer(testPostgresUrl(), `create database "${String(database)}"`);
    expect(await databasesCalled(database)).toHaveLength(1);
    expect((await working.request('bob', 'POST', `/${word}`, { id, ...document })).status).toBe(403);
    expect(await databasesCalled(database)).toHaveLength(1);
    expect((await working.request('alice', 'POST', `/${word}`, { id, ...document })).status).toBe(201);
    expect(await databasesCalled(database)).toEqual([]);
    expect((await entryOf(id)).database).not.toBe(database);
  });

  it('leaves no database behind when the id of a deletion that did not finish is taken for an alias', async () => {
    await working.createCatalog({ id: 'half' });
    const { database } = await entryOf('half');
    // as if the process had died before it dropped the database
    await onServer(working.registryUrl, `update registry.registry set deleted_on = now() where id = 'half'`);
    expect((await working.request('alice', 'POST', '/alias', { id: 'half' })).status).toBe(201);
    expect([await databasesCalled(database), await entryOf('half')]).toEqual([
      [],
      { database: null, is_catalog: false, deleted: false },
    ]);
  });

  it('an id is not taken for an alias while its catalog is being made', async () => {
    const maker = new pg.Client({ connectionString: working.registryUrl });
    await maker.connect();
    await maker.query(`select pg_advisory_lock(hashtextextended('create catalog busy', 0))`);
    expect((await working.request('alice', 'POST', '/alias', { id: 'busy' })).status).toBe(409);
    await maker.end();
    await eventually(async () => (await working.request('alice', 'POST', '/alias', { id: 'busy' })).status === 201);
  });

  it('a deletion leaves alone the catalog that was made under the id meanwhile', async () => {
    await working.createCatalog({ id: 'again' });
    const { database } = await entryOf('again');
    const other = new pg.Client({ connectionString: working.registryUrl });
    await other.connect();
    await other.query('begin; select _catalog.begin_change(null, 10000)');
    const deletion = working.request('alice', 'DELETE', '/catalog/again');
    await eventually(async () => {
      const waiting = await other.query(`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`);
      return waiting.rowCount === 1;
    });
    const place = `jsonb_set(descriptor, '{database}', to_jsonb($1::text))`;
    const replace = `update registry.registry set descriptor = ${place} where id = 'again'`;
    await other.query(replace, ['another_one']);
    await other.query('commit');
    expect((await deletion).status).toBe(404);
    expect(await entryOf('again')).toEqual({ database: 'another_one', is_catalog: true, deleted: false });
    expect(await databasesCalled(database)).toHaveLength(1);
    await other.query(replace, [database]);
    await other.end();
    expect((await working.request('alice', 'DELETE', '/catalog/again')).status).toBe(204);
    expect(await databasesCalled(database)).toEqual([]);
  });

  it('leaves nothing of a refused one', async () => {
    await working.request('alice', 'POST', '/catalog', { id: 'never', owner: ['bob'] });
    expect((await working.request('bob', 'POST', '/catalog', { id: 'never' })).status).toBe(201);
  });
});
