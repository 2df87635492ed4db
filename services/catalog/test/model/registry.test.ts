import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, type ClientName, startCatalog } from '../support/catalog-fixture.js';

type Rows = readonly Readonly<Record<string, unknown>>[];

const json = { 'content-type': 'application/json' };

/** Catalog 0 (spec/catalog-model.md 5): the registry read, and edited by owners of entries. */
describe.each(['standard', 'deriva'] as const)('the registry as catalog 0, profile %s', (profile) => {
  let fixture: CatalogFixture;

  beforeAll(async () => {
    fixture = await startCatalog({ profile });
    await fixture.createCatalog({ id: '42', name: 'Lemurs' });
    await fixture.request('bob', 'POST', '/catalog', { id: 'bobs', owner: ['bob', 'g1'] });
    await fixture.request('bob', 'POST', '/alias', { id: 'other', alias_target: '42' });
  });
  afterAll(() => fixture.close());

  const get = async (as: ClientName, target: string): Promise<Rows> =>
    (await fixture.request(as, 'GET', `/catalog/0/${target}`)).json as Rows;
  const put = (as: ClientName, target: string, rows: unknown) =>
    fixture.request(as, 'PUT', `/catalog/0/attributegroup/registry/${target}`, rows, json);

  it('31: everybody reads the entries; nobody sees the storage, only owners the owner list', async () => {
    const rows = await get('anon', 'entity/registry@sort(id)');
    expect(rows.map(({ id }) => id)).toEqual(['0', '42', 'bobs', 'other']);
    for (const row of rows) {
      expect(row.owner).toBeNull();
      expect(row).not.toHaveProperty('descriptor');
    }
    expect(rows).toMatchObject([
      { is_catalog: true },
      { is_catalog: true, name: 'Lemurs', alias_target: null },
      { is_catalog: true },
      { is_catalog: false, alias_target: '42' },
    ]);
    const owners = await get('alice', 'attribute/registry/id,owner@sort(id)');
    expect(owners.map(({ owner }) => owner)).toEqual([null, ['alice'], ['bob', 'g1'], null]);
    expect(await get('carol', 'attribute/registry/id,owner@sort(id)')).toEqual(
      ['0', '42', 'bobs', 'other'].map((id) => ({ id, owner: null })),
    );
  });

  it('what is masked counts as null in filters, orders, groups, joins and text search', async () => {
    expect(await get('carol', 'attribute/registry/!owner::null::/id')).toEqual([]);
    expect(await get('alice', 'attribute/registry/!owner::null::/id@sort(id)')).toEqual([{ id: '42' }, { id: 'bobs' }]);
    expect(await get('carol', 'attribute/registry/owner=alice/id')).toEqual([]);
    expect(await get('carol', 'aggregate/registry/n:=cnt(owner)')).toEqual([{ n: 0 }]);
    expect(await get('carol', 'attributegroup/registry/owner;n:=cnt(id)')).toEqual([{ owner: null, n: 4 }]);
    expect(await get('carol', 'attribute/registry/owner::regexp::alice/id')).toEqual([]);
    expect(await get('carol', 'aggregate/registry/all:=array(*)')).not.toEqual(
      expect.objectContaining({ all: expect.stringContaining('alice') }),
    );
    const joined = await get('carol', 'attribute/a:=registry/b:=(a:alias_target)=(registry:id)/a:id,b:owner');
    expect(joined).toEqual([{ id: 'other', owner: null }]);
  });

  it.each(['descriptor', 'descriptor::null::/id'])('there is no column %s', async (target) => {
    const answer = await fixture.request('alice', 'GET', `/catalog/0/attribute/registry/${target}`);
    expect(answer.status).toBe(409);
  });

  it('the model shows what a client may see', async () => {
    const { json: model } = await fixture.request('anon', 'GET', '/catalog/0/schema');
    const { schemas, rights } = model as {
      readonly rights: unknown;
      readonly schemas: Record<string, { tables: Record<string, Record<string, readonly Record<string, unknown>[]>> }>;
    };
    expect(rights).toEqual({ owner: false, create: false });
    const prefix = profile === 'standard' ? 'Catalog_' : 'ERMrest_';
    expect(Object.keys(schemas.public?.tables ?? {})).toEqual([`${prefix}RID_Lease`]);
    const { registry } = schemas[profile === 'standard' ? 'registry' : 'ermrest']?.tables ?? {};
    expect(registry?.column_definitions?.map(({ name }) => name)).not.toContain('descriptor');
    expect(registry?.foreign_keys?.map(({ foreign_key_columns: columns }) => columns)).toMatchObject([
      [{ column_name: 'alias_target' }],
      [{ column_name: 'clone_source' }],
    ]);
    expect(registry?.rights).toMatchObject({ insert: false, delete: false, select: true, owner: false });
  });

  it('32: owners edit the words of an entry, others do not', async () => {
    const refused = await put('bob', 'id;name', [{ id: '42', name: 'x' }]);
    expect(refused.status).toBe(403);
    expect((await put('anon', 'id;name', [{ id: '42', name: 'x' }])).status).toBe(401);
    const before = await fixture.request('alice', 'GET', '/catalog/0/entity/registry/id=42');
    const done = await put('alice', 'id;name,description', [{ id: '42', name: 'Apes', description: '**big**' }]);
    expect([done.status, done.json]).toEqual([200, [{ id: '42', name: 'Apes', description: '**big**' }]]);
    const after = await fixture.request('alice', 'GET', '/catalog/0/entity/registry/id=42');
    expect(after.json).toMatchObject([{ name: 'Apes', RMB: 'alice' }]);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect((await fixture.request('alice', 'GET', '/catalog/42')).json).toMatchObject({ name: 'Apes' });
    expect((await put('alice', 'id;clone_source', [{ id: '42', clone_source: 'bobs' }])).status).toBe(200);
    expect((await put('alice', 'id;clone_source', [{ id: '42', clone_source: 'nope' }])).status).toBe(409);
    expect((await put('alice', 'id;name', [{ id: 'nope', name: 'x' }])).status).toBe(409);
    // through a group of the owner list
    expect((await put('alice', 'id;name', [{ id: 'bobs', name: 'ours' }])).status).toBe(200);
    const [row] = await get('alice', 'entity/registry/id=42');
    expect((await put('alice', 'RID;name', [{ RID: row?.RID, name: 'Apes' }])).status).toBe(200);
  });

  it('trs tells which entries are the own ones', async () => {
    const rows = await get('alice', 'attributegroup/registry/id;can:=tcrs(RID)@sort(id)');
    expect(rows).toMatchObject([
      { id: '0', can: { update: false, delete: false, column_update: { name: false } } },
      { id: '42', can: { update: true, delete: false, column_update: { name: true, owner: false, RID: false } } },
      { id: 'bobs', can: { update: true } },
      { id: 'other', can: { update: false } },
    ]);
    const counted = await get('alice', 'attributegroup/registry/is_catalog;can:=trs(RID)');
    expect(counted).toHaveLength(2);
  });

  it('one entry of somebody else, and nothing is changed', async () => {
    const rows = ['bobs', 'other', '42'].map((id) => ({ id, name: 'all mine' }));
    expect((await put('alice', 'id;name', rows)).status).toBe(403);
    expect(await get('alice', 'attribute/registry/name=all%20mine/id')).toEqual([]);
  });

  it.each(['owner', 'alias_target', 'is_catalog', 'deleted_on', 'id', 'RMB'])('nobody edits %s', async (column) => {
    const target = column === 'id' ? 'RID;id' : `id;${column}`;
    const key = column === 'id' ? { RID: '1', id: 'x' } : { id: '42', [column]: null };
    expect((await put('alice', target, [key])).status).toBe(403);
  });

  it('rows are neither made nor removed this way, nor is the model changed', async () => {
    const row = [{ id: 'new', is_catalog: false }];
    for (const as of ['alice', 'admin'] as const) {
      expect((await fixture.request(as, 'POST', '/catalog/0/entity/registry', row, json)).status).toBe(403);
      expect((await fixture.request(as, 'PUT', '/catalog/0/entity/registry', row, json)).status).toBe(403);
      expect((await fixture.request(as, 'DELETE', '/catalog/0/entity/registry/id=42')).status).toBe(403);
      expect((await fixture.request(as, 'POST', '/catalog/0/schema/S')).status).toBe(403);
      expect((await fixture.request(as, 'DELETE', '/catalog/0')).status).toBe(403);
    }
    expect((await fixture.request('alice', 'GET', '/catalog/42')).status).toBe(200);
  });

  it('an alias takes words when it is changed, too', async () => {
    const put = (document: object) => fixture.request('bob', 'PUT', '/alias/other', document);
    expect((await put({ name: 'the other', description: 'one' })).status).toBe(200);
    expect((await put({ owner: ['bob'] })).status).toBe(200);
    const [row] = await get('bob', 'entity/registry/id=other');
    expect(row).toMatchObject({ name: 'the other', description: 'one', owner: ['bob'] });
    await put({ name: null });
    expect(await get('bob', 'attribute/registry/id=other/name,description')).toEqual([
      { name: null, description: 'one' },
    ]);
  });

  it('how long a catalog lives is for the operator, or for owners: at creation and later alike', async () => {
    const edit = [{ id: '42', is_persistent: false }];
    const create = (at: CatalogFixture) => at.request('alice', 'POST', '/catalog', { is_persistent: false });
    expect((await create(fixture)).status).toBe(403);
    expect((await put('alice', 'id;is_persistent', edit)).status).toBe(403);
    expect((await fixture.request('bob', 'PUT', '/alias/other', { is_persistent: false })).status).toBe(403);
    const generous = await startCatalog({
      profile,
      registryUrl: fixture.registryUrl,
      environment: { OWNERS_SET_PERSISTENCE: 'true' },
    });
    try {
      expect((await create(generous)).status).toBe(201);
      expect((await put('alice', 'id;is_persistent', edit)).status).toBe(200);
      expect((await generous.request('alice', 'GET', '/catalog/42')).json).toMatchObject({ is_persistent: false });
      expect((await generous.request('bob', 'PUT', '/alias/other', { is_persistent: false })).status).toBe(200);
      expect((await put('bob', 'id;is_persistent', edit)).status).toBe(403);
    } finally {
      await generous.close();
    }
  });
});

/** The lease table (spec/catalog-model.md 23): rows belong to whom they name. */
describe('leases of RIDs', () => {
  let fixture: CatalogFixture;
  let path: string;
  const leases = 'entity/public:Catalog_RID_Lease';

  beforeAll(async () => {
    fixture = await startCatalog();
    path = await fixture.createCatalog();
    await fixture.request('alice', 'PUT', `${path}/acl`, {
      owner: ['alice'],
      enumerate: ['*'],
      insert: ['bob', 'carol'],
    });
  });
  afterAll(() => fixture.close());

  it('are seen, changed and given back by the lessee alone', async () => {
    const lease = async (as: ClientName): Promise<string> => {
      const { json: rows } = await fixture.request(as, 'POST', `${path}/${leases}`, [{ ID: `of ${as}` }], json);
      return String((rows as Rows)[0]?.RID);
    };
    const bobs = await lease('bob');
    const carols = await lease('carol');
    const request = (as: ClientName, method: string, target: string, body?: unknown) =>
      fixture.request(as, method, `${path}/${target}`, body, json);
    expect((await request('bob', 'GET', leases)).json).toMatchObject([{ RID: bobs }]);
    expect((await request('bob', 'DELETE', `${leases}/RID=${carols}`)).status).toBe(404);
    const rights = 'attributegroup/public:Catalog_RID_Lease/RID;can:=tcrs(RID)';
    const system = { RID: false, RCT: false, RMT: false, RCB: false, RMB: false };
    expect((await request('bob', 'GET', rights)).json).toEqual([
      { RID: bobs, can: { update: true, delete: true, column_update: { ...system, ID: true } } },
    ]);
    const update = 'attributegroup/public:Catalog_RID_Lease/RID;ID';
    expect((await request('bob', 'PUT', update, [{ RID: bobs, ID: 'new' }])).json).toEqual([{ RID: bobs, ID: 'new' }]);
    expect((await request('bob', 'PUT', update, [{ RID: carols, ID: 'new' }])).status).toBe(409);
    expect((await request('bob', 'DELETE', `attribute/public:Catalog_RID_Lease/ID`)).status).toBe(409);
    expect((await request('bob', 'DELETE', leases)).status).toBe(204);
    expect((await request('bob', 'DELETE', leases)).status).toBe(404);
    expect((await request('carol', 'GET', leases)).json).toMatchObject([{ RID: carols, ID: 'of carol' }]);
    expect((await request('anon', 'GET', leases)).json).toEqual([]);
    expect((await request('anon', 'DELETE', leases)).status).toBe(401);
  });
});
