import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, type ClientName, startCatalog } from '../support/catalog-fixture.js';
import { exampleCategories, exampleRows, exampleSchema } from './documents.js';

/**
 * Bob reads the rows of D that name him or everybody, and `name` only where another rule lets him: the column has a binding of its own in
 * place of the table's. When that goes with what it uses, the values must not come into view (spec/catalog-model.md 19.5).
 */
describe('the end of a binding that a column has in place of its table’s', () => {
  let fixture: CatalogFixture;
  let catalog = '';

  const ask = (as: ClientName, method: string, path: string, body?: unknown) =>
    fixture.request(as, method, `${catalog}${path}`, body, { 'content-type': 'application/json' });

  async function demand(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await ask('alice', method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  }

  beforeAll(async () => {
    fixture = await startCatalog();
  });
  afterAll(() => fixture.close());

  async function fresh(projection: unknown): Promise<void> {
    catalog = await fixture.createCatalog();
    await demand('PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
    await demand('POST', '/schema', exampleSchema());
    await demand('POST', '/entity/S:Cat', exampleCategories);
    await demand(
      'POST',
      '/entity/S:D',
      exampleRows.map((row) => ({ ...row, c_id: 3 })),
    );
    await demand('PUT', '/schema/S/table/D/acl', { select: [] });
    await demand('PUT', '/schema/S/table/D/acl_binding', { own: { types: ['select'], projection: 'member' } });
    await demand('PUT', '/schema/S/table/D/column/name/acl_binding', { own: { types: ['select'], projection } });
    expect((await ask('bob', 'GET', '/attribute/S:D/id,name@sort(id)')).json).toEqual([
      { id: 11, name: null },
      { id: 12, name: null },
    ]);
  }

  async function expectClosed(): Promise<void> {
    expect((await ask('bob', 'GET', '/attribute/S:D/id@sort(id)')).json).toEqual([{ id: 11 }, { id: 12 }]);
    expect((await ask('bob', 'GET', '/attribute/S:D/name')).status).toBe(403);
    expect((await ask('alice', 'GET', '/schema/S/table/D/column/name/acl_binding')).json).toEqual({ own: false });
  }

  it('opens nothing when its foreign key is removed', async () => {
    await fresh([{ outbound: ['S', 'd_c'] }, 'ACL']);
    await demand('DELETE', '/schema/S/table/D/foreignkey/c_id/reference/S:Cat/id');
    await expectClosed();
  });

  it('opens nothing when a column is changed by hand so that it cannot be read', async () => {
    await fresh([{ filter: 'val', operand: 500 }, 'id']);
    await fixture.query(
      catalog.slice('/catalog/'.length),
      'alter table "S"."D" alter column val type boolean using true; select _catalog.model_changed()',
    );
    await expectClosed();
  });

  it('leaves nothing behind where the table’s goes too, or has no such binding', async () => {
    await fresh([{ outbound: ['S', 'd_c'] }, 'ACL']);
    const byCategory = { types: ['select'], projection: [{ outbound: ['S', 'd_c'] }, 'ACL'] };
    await demand('PUT', '/schema/S/table/D/acl_binding', { own: byCategory });
    await demand('PUT', '/schema/S/table/D/column/member/acl_binding', { other: byCategory });
    await demand('DELETE', '/schema/S/table/D/foreignkey/c_id/reference/S:Cat/id');
    for (const place of ['', '/column/name', '/column/member'])
      expect((await ask('alice', 'GET', `/schema/S/table/D${place}/acl_binding`)).json).toEqual({});
  });
});
