import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

/** Keys and foreign keys of views, which nobody enforces (spec/catalog-model.md 17). */
describe.each(['standard', 'deriva'] as const)('pseudo constraints, profile %s', (profile) => {
  let fixture: CatalogFixture;
  let path: string;
  let id: string;

  beforeAll(async () => {
    fixture = await startCatalog({ profile });
    path = await fixture.createCatalog();
    id = path.slice('/catalog/'.length);
    const column = (name: string) => ({ name, type: 'int4', nullok: false });
    await fixture.request('alice', 'POST', `${path}/schema`, {
      schemas: {
        S: {
          tables: {
            t: { column_definitions: [column('id'), column('k')], keys: [{ unique_columns: ['id'] }] },
            u: { column_definitions: [column('id'), column('of')], keys: [{ unique_columns: ['id'] }] },
          },
        },
      },
    });
    const json = { 'content-type': 'application/json' };
    await fixture.request(
      'alice',
      'POST',
      `${path}/entity/S:t`,
      [
        { id: 1, k: 10 },
        { id: 2, k: 10 },
      ],
      json,
    );
    await fixture.request(
      'alice',
      'POST',
      `${path}/entity/S:u`,
      [
        { id: 5, of: 1 },
        { id: 6, of: 9 },
      ],
      json,
    );
    await fixture.query(
      id,
      `do $hand$ begin
         create view "S".v as select "RID", id, k from "S".t; create view "S".w as select id, "of" from "S".u;
         perform _catalog.model_changed();
       end $hand$`,
    );
  });
  afterAll(() => fixture.close());

  const created = profile === 'standard' ? 200 : 201;
  const request = (method: string, rest: string, body?: unknown): Promise<Answer> =>
    fixture.request('alice', method, `${path}/schema/S/table/${rest}`, body);
  /** The deriva profile answers with arrays of one. */
  const only = ({ json }: Answer): unknown => (Array.isArray(json) ? json[0] : json);
  const reference = (from: string, to: string, table: string) => ({
    foreign_key_columns: [{ column_name: from }],
    referenced_columns: [{ schema_name: 'S', table_name: table, column_name: to }],
  });

  it('a key on a view has a name without a schema and holds for nothing', async () => {
    const named = await request('POST', 'v/key', { unique_columns: ['id'], names: [['S', 'my key']] });
    expect([named.status, only(named)]).toMatchObject([created, { names: [['', 'my key']], unique_columns: ['id'] }]);
    // two rows have the same value
    const unnamed = await request('POST', 'v/key', { unique_columns: ['k'] });
    expect([unnamed.status, only(unnamed)]).toMatchObject([created, { names: [['', 'v_k_key']] }]);
    expect((await request('POST', 'v/key', { unique_columns: ['k'] })).status).toBe(409);
    expect((await request('POST', 'v/key', { unique_columns: ['nope'] })).status).toBe(400);
    expect((await request('GET', 'v/key/k')).status).toBe(200);
  });

  it('names are taken once among the pseudo constraints of a catalog, beside those of real ones', async () => {
    const taken = await request('POST', 'w/key', { unique_columns: ['id'], names: [['', 'my key']] });
    expect(taken.status).toBe(409);
    const real = await request('POST', 'w/key', { unique_columns: ['id'], names: [['', 't_id_key']] });
    expect([real.status, only(real)]).toMatchObject([created, { names: [['', 't_id_key']] }]);
    const table = await request('POST', 'u/key', { unique_columns: ['id', 'of'], names: [['S', 'my key']] });
    expect([table.status, only(table)]).toMatchObject([created, { names: [['S', 'my key']] }]);
  });

  it('foreign keys lead from views, to views, and between them, without actions', async () => {
    const fromView = await request('POST', 'w/foreignkey', { ...reference('of', 'id', 't'), on_delete: 'CASCADE' });
    const toView = await request('POST', 'u/foreignkey', reference('of', 'id', 'v'));
    const between = await request('POST', 'w/foreignkey', reference('of', 'id', 'v'));
    for (const answer of [fromView, toView, between]) {
      expect([answer.status, only(answer)]).toMatchObject([created, { names: [['', expect.any(String)]] }]);
      expect(only(answer)).not.toHaveProperty('on_delete');
      expect(only(answer)).not.toHaveProperty('on_update');
    }
    expect((await request('POST', 'w/foreignkey', reference('of', 'id', 'v'))).status).toBe(409);
    expect((await request('POST', 'u/foreignkey', reference('of', 'nope', 'v'))).status).toBe(409);
  });

  it('take part in paths like real ones', async () => {
    const get = async (target: string) => (await fixture.request('alice', 'GET', `${path}/${target}`)).json;
    expect(await get('attribute/S:w/S:t/id')).toEqual([{ id: 1 }]);
    expect(await get('attribute/a:=S:u/b:=S:v/a:id,b:k')).toEqual([{ id: 5, k: 10 }]);
    expect(await get('attribute/b:=S:v/a:=(id)=(S:w:of)/a:id')).toEqual([{ id: 5 }]);
  });

  it('have comments, annotations and access lists, and are deleted', async () => {
    const place = 'w/foreignkey/of/reference/S:v/id';
    expect((await request('PUT', `${place}/comment`, 'guessed')).status).toBe(204);
    expect((await request('PUT', `${place}/acl/insert`, ['bob'])).status).toBeLessThan(300);
    expect((await request('PUT', 'v/key/k/annotation/x', '1')).status).toBe(201);
    expect(only(await request('GET', place))).toMatchObject({ comment: 'guessed', acls: { insert: ['bob'] } });
    expect((await request('DELETE', 'v/key/id')).status).toBe(409);
    expect((await request('DELETE', place)).status).toBe(204);
    expect((await request('GET', place)).status).toBe(404);
    expect((await request('DELETE', 'v/key/k')).status).toBe(204);
  });

  it('a foreign key to a table does not keep it from being changed: it goes with the column', async () => {
    await request('POST', 't/key', { unique_columns: ['k', 'id'] });
    expect(
      (
        await request('POST', 'w/foreignkey', {
          foreign_key_columns: [{ column_name: 'id' }, { column_name: 'of' }],
          referenced_columns: ['k', 'id'].map((name) => ({ schema_name: 'S', table_name: 't', column_name: name })),
        })
      ).status,
    ).toBe(created);
    await fixture.query(
      id,
      `do $hand$ begin
         create or replace view "S".v as select "RID", id, 1 as k from "S".t; perform _catalog.model_changed();
       end $hand$`,
    );
    const { json: before } = await request('GET', 'w/foreignkey');
    expect(before).toHaveLength(2);
    expect((await request('DELETE', 't/column/k')).status).toBe(204);
    const { json: after } = await request('GET', 'w/foreignkey');
    expect(after).toHaveLength(1);
  });

  it('go when the view loses a column, and when what they refer to is deleted', async () => {
    await request('POST', 'v/key', { unique_columns: ['RID'] });
    await fixture.query(
      id,
      `do $hand$ begin
         drop view "S".v; create view "S".v as select id, 1 as k from "S".t; perform _catalog.model_changed();
       end $hand$`,
    );
    const { json } = await request('GET', 'v/key');
    expect(json).toMatchObject([{ unique_columns: ['id'] }]);
    expect((await request('GET', 'u/foreignkey/of')).json).toHaveLength(1);
    expect((await request('DELETE', 'v')).status).toBe(204);
    expect((await request('GET', 'u/foreignkey/of')).status).toBe(404);
    expect((await request('GET', 'u')).status).toBe(200);
  });
});
