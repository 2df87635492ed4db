import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, type CatalogFixture, type ClientName, startCatalog } from '../support/catalog-fixture.js';

const json = { 'content-type': 'application/json' };
const column = (name: string, type: string, more: object = {}) => ({ name, type, ...more });
const none = { enumerate: [], select: [] };

function reference(name: string, from: readonly [string, string, string], to: readonly [string, string, string]) {
  const end = ([schema_name, table_name, column_name]: readonly [string, string, string]) => [
    { schema_name, table_name, column_name },
  ];
  return { names: [[from[0], name]], foreign_key_columns: end(from), referenced_columns: end(to) };
}

/** Bob owns table B. What others have made of it in places he does not see stays unknown to him (spec/catalog-access.md 4). */
describe('the owner of one table', () => {
  let fixture: CatalogFixture;
  let catalog = '';

  const ask = (as: ClientName, method: string, path: string, body?: unknown): Promise<Answer> =>
    fixture.request(as, method, `${catalog}${path}`, body, json);

  async function demand(as: ClientName, method: string, path: string, body?: unknown): Promise<void> {
    const answer = await ask(as, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  }

  beforeAll(async () => {
    fixture = await startCatalog();
    catalog = await fixture.createCatalog();
    await demand('alice', 'PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
    for (const schema of ['S', 'H']) await demand('alice', 'POST', `/schema/${schema}`);
    await demand('alice', 'PUT', '/schema/H/acl', none);
    await demand('alice', 'PUT', '/schema/S/acl', { create: ['bob'] });
    await demand('bob', 'POST', '/schema/S/table', {
      table_name: 'B',
      column_definitions: [column('id', 'int4'), column('k', 'text'), column('v', 'text'), column('w', 'text')],
      keys: [{ unique_columns: ['id'] }, { unique_columns: ['k'] }],
    });
    await demand('alice', 'POST', '/schema/H/table', {
      table_name: 'hush',
      column_definitions: [column('b', 'int4'), column('bk', 'text')],
      foreign_keys: [
        reference('hush_id', ['H', 'hush', 'b'], ['S', 'B', 'id']),
        reference('hush_k', ['H', 'hush', 'bk'], ['S', 'B', 'k']),
      ],
    });
    const onB = { outbound: ['H', 'hush_id'] };
    await demand('alice', 'PUT', '/schema/H/table/hush/acl_binding', {
      hush_values: { types: ['select'], projection: [onB, { filter: 'v', operand: 'x' }, 'id'] },
      hush_readers: { types: ['select'], projection: [onB, 'w'] },
    });
    await demand('alice', 'POST', '/schema/S/table', {
      table_name: 'A',
      column_definitions: [column('id', 'int4'), column('secret', 'int4', { acls: none })],
      keys: [{ unique_columns: ['id'] }, { unique_columns: ['secret'] }],
    });
  });
  afterAll(() => fixture.close());

  it.each([
    ['removes it', 'DELETE', '', undefined],
    ['removes a key', 'DELETE', '/key/id', undefined],
    ['removes a column of a key', 'DELETE', '/column/id', undefined],
    ['changes the type of a column of a key', 'PUT', '/column/k', { type: 'date' }],
    ['changes the type of a column that a binding compares', 'PUT', '/column/v', { type: 'int4' }],
    ['changes the type of a column in which a binding looks for roles', 'PUT', '/column/w', { type: 'int4' }],
  ])('learns that something is in the way, but not what, who %s', async (_, method, path, body) => {
    const refused = await ask('bob', method, `/schema/S/table/B${path}`, body);
    expect([refused.status, refused.json]).toEqual([409, expect.objectContaining({ code: 'in_use' })]);
    expect(refused.text).not.toMatch(/hush/);
    // whoever sees it is told
    const told = await ask('alice', method, `/schema/S/table/B${path}`, body);
    expect([told.status, told.text]).toEqual([409, expect.stringContaining('hush')]);
  });

  it('cannot tell a hidden column of another table from none', async () => {
    const refer = async (name: string): Promise<readonly unknown[]> => {
      const { status, text } = await ask(
        'bob',
        'POST',
        '/schema/S/table/B/foreignkey',
        reference('to_a', ['S', 'B', 'id'], ['S', 'A', name]),
      );
      return [status, text.replaceAll(name, 'NAME').replace(/"request_id":"[^"]*"/, '')];
    };
    expect(await refer('secret')).toEqual(await refer('nothing'));
  });
});

/** Bob sees and changes all rows of T, but the codes, of which each is a key, only of row 1, or not at all. */
describe('PUT of an entity by a key that is hidden', () => {
  let fixture: CatalogFixture;
  let catalog = '';

  const ask = (as: ClientName, method: string, path: string, body?: unknown): Promise<Answer> =>
    fixture.request(as, method, `${catalog}${path}`, body, json);

  async function demand(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await ask('alice', method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  }

  beforeAll(async () => {
    fixture = await startCatalog();
    catalog = await fixture.createCatalog();
    await demand('PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
    await demand('POST', '/schema/S');
    await demand('POST', '/schema/S/table', {
      table_name: 'T',
      acls: { update: ['bob'] },
      column_definitions: [column('id', 'int4'), column('code', 'text', { acls: { select: [] } }), column('v', 'int4')],
      keys: [{ unique_columns: ['id'] }, { unique_columns: ['code'] }],
    });
    await demand('POST', '/entity/S:T', [
      { id: 1, code: 'shown', v: 0 },
      { id: 2, code: 'hush', v: 0 },
    ]);
  });
  afterAll(() => fixture.close());

  it('does not answer with the masked key of the row it has found', async () => {
    await demand('PUT', '/schema/S/table/T/column/code/acl_binding', {
      first: { types: ['select'], projection: [{ filter: 'id', operand: 1 }, 'id'] },
    });
    const shown = await ask('bob', 'PUT', '/entity/S:T', [{ id: 1, code: 'shown', v: 5 }]);
    expect([shown.status, shown.json]).toEqual([200, [expect.objectContaining({ id: 1, code: 'shown', v: 5 })]]);
    const masked = await ask('bob', 'PUT', '/entity/S:T', [{ id: 2, code: null, v: 6 }]);
    expect([masked.status, masked.json]).toEqual([200, [expect.objectContaining({ id: 2, code: null, v: 6 })]]);
    expect(masked.text).not.toContain('hush');
    const stored = await ask('alice', 'GET', '/attribute/S:T/id=2/code,v');
    expect(stored.json).toEqual([{ code: 'hush', v: 6 }]);
  });

  it('does not tell a good guess of a key that may not be read from a bad one', async () => {
    await demand('PUT', '/schema/S/table/T/column/code/acl_binding', {});
    await demand('PUT', '/schema/S/table/T/column/code/acl', { select: [], update: [] });
    const answers = await Promise.all(
      ['hush', 'guess'].map((code) => ask('bob', 'PUT', '/entity/S:T', [{ id: 2, code, v: 7 }])),
    );
    const told = answers.map(({ status, text }) => [status, text.replace(/"request_id":"[^"]*"/, '')]);
    expect(told[0]).toEqual([403, expect.stringContaining('code')]);
    expect(told[1]).toEqual(told[0]);
  });
});

/** Bob sees the rows of T whose partner in P names him. */
describe('a value in a hidden row that cannot be compared', () => {
  let fixture: CatalogFixture;
  let catalog = '';

  const ask = (as: ClientName, method: string, path: string, body?: unknown): Promise<Answer> =>
    fixture.request(as, method, `${catalog}${path}`, body, json);

  async function demand(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await ask('alice', method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  }

  beforeAll(async () => {
    fixture = await startCatalog();
    catalog = await fixture.createCatalog();
    await demand('PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
    const key = { keys: [{ unique_columns: ['id'] }] };
    const id = column('id', 'int4', { nullok: false });
    await demand('POST', '/schema', {
      schemas: {
        S: {
          tables: {
            P: { column_definitions: [id, column('readers', 'text[]')], ...key },
            T: {
              acls: { select: [] },
              column_definitions: [id, column('p', 'int4'), column('n', 'numeric')],
              ...key,
              foreign_keys: [reference('t_p', ['S', 'T', 'p'], ['S', 'P', 'id'])],
              acl_bindings: { readers: { types: ['select'], projection: [{ outbound: ['S', 't_p'] }, 'readers'] } },
            },
            U: { column_definitions: [id, column('f', 'float8')], ...key },
          },
        },
      },
    });
    await demand('POST', '/entity/S:P', [
      { id: 1, readers: ['bob'] },
      { id: 2, readers: ['carol'] },
    ]);
    const rows = Array.from({ length: 3000 }, (_, index) => ({ id: index, p: 1, n: index }));
    await demand('POST', '/entity/S:T', [...rows, { id: 3000, p: 2, n: `7${'3'.repeat(400)}` }]);
    await demand('POST', '/entity/S:U', [
      { id: 1, f: 1 },
      { id: 2, f: 0 },
    ]);
    // the planner links first, and asks for readers after that
    await fixture.query(catalog.slice('/catalog/'.length), 'analyze');
  });
  afterAll(() => fixture.close());

  it.each(['/S:T/(n)=(S:U:f)', '/S:U/(f)=(S:T:n)'])('equals nothing: %s', async (path) => {
    for (const client of ['bob', 'alice'] as const) {
      const { status, json: counted } = await ask(client, 'GET', `/aggregate${path}/n:=cnt(*)`);
      expect([client, status, counted]).toEqual([client, 200, [{ n: 2 }]]);
    }
  });
});
