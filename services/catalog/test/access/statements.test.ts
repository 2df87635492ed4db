import { rightsEvaluator, rolesOf } from '@holdfast/acl';
import { interpretQuery, parseResource } from '@holdfast/path-grammar';
import { type CompiledSql, compile, inline, type Sql } from '@holdfast/pg-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizeRead } from '../../src/authorize/authorize-read.js';
import { LIVE } from '../../src/history/moment.js';
import { buildModel } from '../../src/model/build-model.js';
import type { ElementRow } from '../../src/model/element-rows.js';
import type { Model } from '../../src/model/model.js';
import { planRead } from '../../src/plan/read-plan.js';
import { resolveRead } from '../../src/resolve/resolve-read.js';
import { visibleModel } from '../../src/resolve/visible-model.js';
import { readSql } from '../../src/sql/read-sql.js';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { exampleCategories, exampleRows, exampleSchema } from './documents.js';

/** What rules become in SQL, and what PostgreSQL makes of it. */
describe('statements under rules', () => {
  let fixture: CatalogFixture;
  let catalog = '';

  beforeAll(async () => {
    fixture = await startCatalog();
    catalog = await fixture.createCatalog();
    await demand('PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
    await demand('POST', '/schema', exampleSchema());
    await demand('POST', '/entity/S:Cat', exampleCategories);
    await demand('POST', '/entity/S:D', exampleRows);
    await demand('PUT', '/schema/S/table/D/acl', { select: [] });
  });
  afterAll(() => fixture.close());

  async function demand(method: string, target: string, body: unknown): Promise<void> {
    const json = { 'content-type': 'application/json' };
    const answer = await fixture.request('alice', method, `${catalog}${target}`, body, json);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.text}`);
  }

  async function bind(path: string, bindings: object): Promise<void> {
    await demand('PUT', `/schema/S/table/D${path}/acl_binding`, bindings);
  }

  async function model(): Promise<Model> {
    const rows = await fixture.query(
      catalog.slice('/catalog/'.length),
      `select rid, kind, parent, doc from _catalog.elem where hi = 'infinity'`,
    );
    return buildModel(1n, rows as unknown as readonly ElementRow[]);
  }

  /** The statement of a read. */
  async function statement(client: string, url: string): Promise<Sql> {
    const { resource, query } = parseResource(url);
    if (resource.kind === 'entity_rid') throw new Error('No rows are asked for.');
    const rights = rightsEvaluator(rolesOf({ id: client }, [{ id: `${client}s group` }]));
    const read = resolveRead(resource, visibleModel(await model(), rights));
    const plan = planRead(authorizeRead(read, rights, false, LIVE), 'csv', interpretQuery({ resource, query }, 'GET'));
    return readSql(plan);
  }

  async function compiled(client: string, url: string): Promise<CompiledSql> {
    return compile(await statement(client, url));
  }

  async function explained(client: string, url: string): Promise<string> {
    const rows = await fixture.query(
      catalog.slice('/catalog/'.length),
      `explain (costs off) ${inline(await statement(client, url))}`,
    );
    return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  }

  const select = (projection: unknown, more: object = {}) => ({ types: ['select'], projection, ...more });
  const toCategory = { outbound: ['S', 'd_c'] };

  it('take the roles as one parameter, and nothing of them in the text', async () => {
    await bind('', { one: select('member'), other: select([toCategory, 'ACL']) });
    const { text, values } = await compiled('bob', 'entity/S:D');
    expect(text).not.toContain('bob');
    expect(values).toEqual([
      ['*', 'bob', 'bobs group'],
      ['*', 'bob', 'bobs group'],
    ]);
  });

  it('say nothing of rules to those who may see everything', async () => {
    await bind('', { one: select([toCategory, 'ACL']) });
    await bind('/column/val', { one: select('member') });
    const { text, values } = await compiled('alice', 'attribute/S:D/id,val');
    expect([text, values]).toEqual([expect.stringContaining('from "S"."D" t0'), []]);
    expect(text).not.toContain('where');
    await bind('/column/val', {});
  });

  it('have no rule where a binding lets in every row', async () => {
    await bind('', { every: select('RID', { projection_type: 'nonnull' }), one: select([toCategory, 'ACL']) });
    expect((await compiled('bob', 'attribute/S:D/id')).text).not.toContain('where');
  });

  it('test values of the row itself first, without a sub-query', async () => {
    await bind('', { a: select([toCategory, 'ACL']), b: select('member') });
    const { text } = await compiled('bob', 'attribute/S:D/id');
    expect(text.indexOf('"member" = any')).toBeGreaterThan(0);
    expect(text.indexOf('"member" = any')).toBeLessThan(text.indexOf('exists'));
  });

  it('become joins that start from whichever side is smaller', async () => {
    await bind('', { one: select([toCategory, 'ACL']) });
    const plan = await explained('bob', 'attribute/S:D/id');
    expect([plan, /SubPlan/.test(plan), /Join|Nested Loop/.test(plan)]).toEqual([plan, false, true]);
  });

  it('look for partners apart where nothing but the row connects them', async () => {
    const apart = [{ ...toCategory, alias: 'a' }, { ...toCategory, context: 'base' }, 'ACL'];
    await bind('', { one: select(apart) });
    expect((await compiled('bob', 'attribute/S:D/id')).text.match(/exists/g)).toHaveLength(2);
    const together = [
      { ...toCategory, alias: 'a' },
      { ...toCategory, context: 'base' },
      {
        or: [
          { filter: ['a', 'id'], operand: 1 },
          { filter: 'id', operand: 2 },
        ],
      },
      'ACL',
    ];
    await bind('', { one: select(together) });
    expect((await compiled('bob', 'attribute/S:D/id')).text.match(/exists/g)).toHaveLength(1);
  });

  it('evaluate a rule once a row that travels and masks several columns', async () => {
    await bind('', { every: select('RID', { projection_type: 'nonnull' }) });
    for (const column of ['val', 'name'])
      await bind(`/column/${column}`, { every: false, travels: select([toCategory, 'ACL']) });
    const two = await compiled('bob', 'attribute/S:D/id,val,name');
    expect(two.text.match(/exists/g)).toHaveLength(2);
    // one binding for both
    for (const column of ['val', 'name']) await bind(`/column/${column}`, {});
    await demand('PUT', '/schema/S/table/D/acl', { select: ['*'] });
    await bind('', { travels: select([toCategory, 'ACL']) });
    for (const column of ['val', 'name']) await demand('PUT', `/schema/S/table/D/column/${column}/acl`, { select: [] });
    const shared = await compiled('bob', 'attribute/S:D/id,val,name');
    expect(shared.text.match(/exists/g)).toHaveLength(1);
    expect(shared.values).toEqual([['*', 'bob', 'bobs group']]);
  });
});
