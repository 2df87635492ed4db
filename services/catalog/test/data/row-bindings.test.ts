import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, type ClientName, startCatalog } from '../support/catalog-fixture.js';

const json = { 'content-type': 'application/json' };
const table = '/schema/S/table/D';

/** Bindings to a column of the row itself, spec/catalog-access.md 13, in the order of its story; numbers as there. */
describe('bindings without links', () => {
  let fixture: CatalogFixture;
  let path: string;

  beforeAll(async () => {
    fixture = await startCatalog();
    path = await fixture.createCatalog();
    await ask('alice', 'PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
    const column = (name: string, type: string, nullok = true) => ({ name, type, nullok });
    await ask('alice', 'POST', '/schema', {
      schemas: {
        S: {
          tables: {
            D: {
              column_definitions: [
                column('id', 'int4', false),
                column('name', 'text'),
                column('member', 'text'),
                column('val', 'int4'),
              ],
              keys: [{ unique_columns: ['id'] }],
            },
          },
        },
      },
    });
    await load();
  });
  afterAll(() => fixture.close());

  function ask(as: ClientName, method: string, rest: string, body?: unknown) {
    return fixture.request(as, method, `${path}${rest}`, body, rest.startsWith('/schema') ? {} : json);
  }
  const status = async (...request: Parameters<typeof ask>) => (await ask(...request)).status;
  const read = async (as: ClientName, target: string) => (await ask(as, 'GET', `/${target}`)).json;
  async function load(): Promise<void> {
    await ask('alice', 'DELETE', '/entity/S:D');
    const rows = ['*', 'bob', 'carol', null].map((member, index) => ({
      id: 11 + index,
      member,
      name: 'n',
      val: index,
    }));
    expect(await status('alice', 'POST', '/entity/S:D', rows)).toBe(200);
  }

  it('2 to 9: rows that name the client are seen', async () => {
    expect(await status('alice', 'PUT', `${table}/acl`, { select: [] })).toBe(204);
    expect([await status('bob', 'GET', '/entity/S:D'), await status('anon', 'GET', '/entity/S:D')]).toEqual([403, 401]);
    const own = { types: ['owner'], projection: 'member' };
    expect(await status('alice', 'PUT', `${table}/acl_binding/own`, own)).toBe(204);
    expect(await read('bob', 'attribute/S:D/id@sort(id)')).toEqual([{ id: 11 }, { id: 12 }]);
    expect(await read('anon', 'attribute/S:D/id')).toEqual([{ id: 11 }]);
    expect(await read('bob', `${table.slice(1)}`)).toMatchObject({
      rights: { select: null, update: null, delete: null, insert: false, owner: false },
    });
  });

  it('11 to 15: trs and tcrs tell of each row', async () => {
    const yes = { update: true, delete: true };
    expect(await read('bob', 'attributegroup/S:D/id;r:=trs(RID)@sort(id)')).toEqual([
      { id: 11, r: yes },
      { id: 12, r: yes },
    ]);
    expect(await read('anon', 'attributegroup/S:D/id;r:=trs(RID)')).toEqual([
      { id: 11, r: { update: false, delete: false } },
    ]);
    expect(await read('bob', 'attributegroup/S:D/id=12/id;r:=tcrs(RID)')).toMatchObject([
      { r: { ...yes, column_update: { RID: false, RMT: false, id: true, name: true, val: true } } },
    ]);
  });

  it('16 to 22: rows of others are not there to be changed', async () => {
    const put = (rows: object) => status('bob', 'PUT', '/attributegroup/S:D/id;name', rows);
    expect(await put([{ id: 12, name: 'x' }])).toBe(200);
    expect(
      await put([
        { id: 12, name: 'y' },
        { id: 13, name: 'y' },
      ]),
    ).toBe(409);
    expect(await read('alice', 'attribute/S:D/id=12/name')).toEqual([{ name: 'x' }]);
    expect(await status('bob', 'POST', '/entity/S:D', [{ id: 1 }])).toBe(403);
    expect(await status('bob', 'DELETE', '/attribute/S:D/id=12/name')).toBe(204);
    expect(await status('anon', 'DELETE', '/entity/S:D/id=11')).toBe(401);
    expect(await status('bob', 'DELETE', '/entity/S:D/id=12')).toBe(204);
    expect(await status('bob', 'DELETE', '/entity/S:D/id=13')).toBe(404);
    expect(await status('bob', 'DELETE', '/entity/S:D')).toBe(204);
    expect(await read('alice', 'attribute/S:D/id@sort(id)')).toEqual([{ id: 13 }, { id: 14 }]);
    await load();
  });

  it('PUT of entities changes visible rows only, and makes none over hidden ones', async () => {
    const row = (id: number) => ({ id, name: 'put', member: 'bob', val: 1 });
    expect(await status('bob', 'PUT', '/entity/S:D', [row(12)])).toBe(200);
    expect(await status('bob', 'PUT', '/entity/S:D', [row(12), row(13)])).toBe(403);
    await ask('alice', 'PUT', `${table}/acl/insert`, ['bob']);
    expect(await status('bob', 'PUT', '/entity/S:D', [row(13)])).toBe(409);
    expect(await read('alice', 'attribute/S:D/id=13/member')).toEqual([{ member: 'carol' }]);
    await ask('alice', 'DELETE', `${table}/acl/insert`);
    await load();
  });

  it('rows that are seen and not to be changed refuse the whole request', async () => {
    await ask('alice', 'PUT', `${table}/acl_binding`, {
      see: { types: ['select'], projection: 'id' },
      change: { types: ['update', 'delete'], projection: 'member' },
    });
    const put = (rows: object) => status('bob', 'PUT', '/attributegroup/S:D/id;name', rows);
    expect(
      await put([
        { id: 12, name: 'z' },
        { id: 13, name: 'z' },
      ]),
    ).toBe(403);
    expect(await status('bob', 'PUT', '/entity/S:D', [{ id: 13, name: 'z' }])).toBe(403);
    expect(await status('bob', 'DELETE', '/entity/S:D')).toBe(403);
    expect(await status('bob', 'DELETE', '/attribute/S:D/name')).toBe(403);
    expect(await read('alice', 'attribute/S:D/name=n/id@sort(id)')).toEqual([11, 12, 13, 14].map((id) => ({ id })));
    expect(await put([{ id: 12, name: 'z' }])).toBe(200);
    expect(await status('bob', 'DELETE', '/entity/S:D/member=bob')).toBe(204);
    await load();
  });

  it('34 to 36: a column shows where its own rule holds', async () => {
    await ask('alice', 'PUT', `${table}/acl_binding`, {
      own: { types: ['owner'], projection: 'RID', projection_type: 'nonnull' },
    });
    const bindings = { own: false, mine: { types: ['select'], projection: 'member' } };
    expect(await status('alice', 'PUT', `${table}/column/val/acl_binding`, bindings)).toBe(204);
    const values = (...vals: readonly (number | null)[]) => vals.map((val, index) => ({ id: 11 + index, val }));
    expect(await read('bob', 'attribute/S:D/id,val@sort(id)')).toEqual(values(0, 1, null, null));
    expect(await read('bob', 'attribute/S:D/val::null::/id@sort(id)')).toEqual([{ id: 13 }, { id: 14 }]);
    expect(await read('bob', 'aggregate/S:D/n:=cnt(val),most:=max(val)')).toEqual([{ n: 2, most: 1 }]);
    expect(await read('bob', 'entity/S:D/id=13')).toMatchObject([{ id: 13, val: null }]);
    expect(await status('bob', 'PUT', '/attributegroup/S:D/val;name', [{ val: 2, name: 'probe' }])).toBe(409);
    expect(await status('bob', 'PUT', '/attributegroup/S:D/id;val', [{ id: 11, val: 9 }])).toBe(403);
    await ask('alice', 'PUT', `${table}/acl`, { select: ['*'] });
    expect(await read('bob', 'attribute/S:D/id,val@sort(id)')).toEqual(values(0, 1, 2, 3));
    await ask('alice', 'PUT', `${table}/column/val/acl/select`, []);
    expect(await read('bob', 'attribute/S:D/id,val@sort(id)')).toEqual(values(0, 1, null, null));
    expect(await read('alice', 'attribute/S:D/id,val@sort(id)')).toEqual(values(0, 1, 2, 3));
  });
});
