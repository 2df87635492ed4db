import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { exampleCategories, exampleRows, exampleSchema } from './documents.js';

/** Rules that travel to other tables, at snapshots: lists, bindings and rows of that time decide. */
describe('rules at snapshots', () => {
  let fixture: CatalogFixture;
  let catalog = '';

  beforeAll(async () => {
    fixture = await startCatalog();
    catalog = await fixture.createCatalog();
    await demand('PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
    await demand('POST', '/schema', exampleSchema());
    await demand('POST', '/entity/S:Cat', exampleCategories);
    await demand(
      'POST',
      '/entity/S:D',
      exampleRows.slice(0, 3).map((row, index) => ({ ...row, c_id: index + 1 })),
    );
    await demand('PUT', '/schema/S/table/D/acl', { select: [] });
    const byCategory = { types: ['owner'], projection: [{ outbound: ['S', 'd_c'] }, 'ACL'] };
    await demand('PUT', '/schema/S/table/D/acl_binding/own', byCategory);
  });
  afterAll(() => fixture.close());

  async function demand(method: string, target: string, body?: unknown): Promise<void> {
    const json = { 'content-type': 'application/json' };
    const answer = await fixture.request('alice', method, `${catalog}${target}`, body, json);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.text}`);
  }

  async function snapshot(): Promise<string> {
    const { json } = await fixture.request('alice', 'GET', catalog);
    return (json as { snaptime: string }).snaptime;
  }

  async function idsOfBob(at: string): Promise<unknown> {
    const { json, text } = await fixture.request('bob', 'GET', `${catalog}${at}/attribute/S:D/id@sort(id)`);
    return Array.isArray(json) ? json.map(({ id }: { id: number }) => id) : text;
  }

  it('look at the rows that were on the way then', async () => {
    const before = await snapshot();
    await demand('PUT', '/attributegroup/S:Cat/id;ACL', [
      { id: 2, ACL: ['carol'] },
      { id: 3, ACL: ['bob'] },
    ]);
    const after = await snapshot();
    await demand('DELETE', '/entity/S:D/id=13');
    expect([await idsOfBob(`@${before}`), await idsOfBob(`@${after}`), await idsOfBob('')]).toEqual([
      [11, 12],
      [11, 13],
      [11],
    ]);
  });

  it('are those of then, and change nothing', async () => {
    const before = await snapshot();
    await demand('PUT', '/schema/S/table/D/acl', { select: ['*'] });
    expect([await idsOfBob(`@${before}`), await idsOfBob('')]).toEqual([[11], [11, 12]]);
    const told = await fixture.request('bob', 'GET', `${catalog}@${before}/attributegroup/S:D/id;r:=trs(RID)`);
    expect(told.json).toEqual([{ id: 11, r: { update: false, delete: false } }]);
  });

  it('match nothing where a table on the way was not kept', async () => {
    await demand('PUT', '/schema/S/table/D/acl', { select: [] });
    await demand('PUT', '/schema/S/table/Cat/annotation/tag:isrd.isi.edu,2020:history-capture', false);
    await demand('PUT', '/schema/S/table/Cat/annotation/tag:example.org,2020:history-capture', false);
    await demand('PUT', '/attributegroup/S:D/id;name', [{ id: 11, name: 'later' }]);
    const uncaptured = await snapshot();
    await demand('PUT', '/attributegroup/S:D/id;name', [{ id: 11, name: 'latest' }]);
    expect(await idsOfBob('')).toEqual([11]);
    expect(await idsOfBob(`@${uncaptured}`)).toEqual([]);
    const owner = await fixture.request('alice', 'GET', `${catalog}@${uncaptured}/attribute/S:D/id@sort(id)`);
    expect(owner.json).toEqual([{ id: 11 }, { id: 12 }]);
  });
});
