import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { expectSameAsDatabase } from './same-as-database.js';

/** Values that are wrong nearly everywhere, and right in some places. */
const odd = fc.constantFrom<unknown>(
  ...[null, 0, 1.5, true, '', 'x', 'RID', 'y'.repeat(70), '"', 'serial4', '\u0000', '__proto__', [], {}, [null], ['*']],
  ...[[['S', 'k']], { owner: [] }, { owner: ['alice'] }, { bogus: ['a'] }, { typename: 'int4' }, { a: false }],
);
const names = fc.constantFrom('a', 'b', 'c', 'd "e', 'é');
const rarely = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: odd });
const some = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(Object.entries(members).map(([name, value]) => [name, rarely(value)])), {
    requiredKeys: [],
  });

const described = { comment: fc.constantFrom(null, 'c'), annotations: fc.constantFrom({}, { k: 1 }) };
const policy = {
  acls: fc.constantFrom({}, { select: ['*'] }),
  acl_bindings: fc.constantFrom(
    {},
    { b: { types: ['select'], projection: 'RID' } },
    { b: { types: ['update'], projection: 'a' } },
  ),
};
const type = fc.constantFrom(
  'text',
  'int4',
  'int8',
  'float8',
  'date',
  'boolean',
  'jsonb',
  'json',
  'text[]',
  'markdown',
  'uuid',
);
const action = fc.constantFrom('CASCADE', 'SET NULL', 'NO ACTION', 'restrict', 'SET DEFAULT');
const constraint = fc.constantFrom([['S', 'a']], [['S', 'k1']], [['S', 'k2']], []);

const schema = some({ schema_name: fc.constantFrom('S', 'D', 'a', 'b'), ...described, acls: policy.acls });
const table = some({ schema_name: fc.constantFrom('S', 'D', 'a', 'b'), table_name: names, ...described, ...policy });
const column = some({
  name: names,
  type,
  default: fc.constantFrom<unknown>(null, 1, '2', 'x', true, ['a'], { a: 1 }),
  nullok: fc.boolean(),
  ...described,
  ...policy,
});
const key = some({ names: constraint, ...described });
const foreignKey = some({ names: constraint, on_update: action, on_delete: action, ...described, acls: policy.acls });

const alteration = fc.oneof(
  fc.tuple(fc.constant('schema' as const), schema),
  fc.tuple(fc.constant('table' as const), table),
  fc.tuple(fc.constant('column' as const), column),
  fc.tuple(fc.constant('column' as const), column),
  fc.tuple(fc.constant('key' as const), key),
  fc.tuple(fc.constant('foreignkey' as const), foreignKey),
);

interface Found {
  readonly schema_name: string;
  readonly tables: Record<string, FoundTable>;
}
interface FoundTable {
  readonly table_name: string;
  readonly column_definitions: readonly { readonly name: string }[];
  readonly keys: readonly { readonly unique_columns: readonly string[] }[];
  readonly foreign_keys: readonly Record<'foreign_key_columns' | 'referenced_columns', readonly Reference[]>[];
}
interface Reference {
  readonly schema_name: string;
  readonly table_name: string;
  readonly column_name: string;
}

/** Elements are altered wherever they have got to: the model is read before every request. */
describe('random alterations', () => {
  let fixture: CatalogFixture;
  let path: string;

  beforeAll(async () => {
    fixture = await startCatalog();
    path = await fixture.createCatalog();
    const place = { schema_name: 'S' };
    const columns = [
      { name: 'a', type: 'int4', default: 1 },
      { name: 'b', type: 'text' },
      { name: 'c', type: 'int4', nullok: false },
    ];
    const reference = {
      foreign_key_columns: [{ column_name: 'a' }],
      referenced_columns: [{ ...place, table_name: 'b', column_name: 'c' }],
    };
    const { status } = await fixture.request('alice', 'POST', `${path}/schema`, [
      place,
      { schema_name: 'D' },
      { ...place, table_name: 'a', column_definitions: columns, foreign_keys: [reference] },
      { ...place, table_name: 'b', column_definitions: columns, keys: [{ unique_columns: ['c'] }] },
    ]);
    expect(status).toBe(201);
    await fixture.query(
      path.slice('/catalog/'.length),
      `insert into "S".b (c) values (1); insert into "S".a (c) values (7)`,
    );
  });
  afterAll(() => fixture.close());

  /** One URL of each kind, chosen by a number. */
  async function target(kind: string, pick: number): Promise<string | null> {
    const { json } = await fixture.request('alice', 'GET', `${path}/schema`);
    const { schemas } = json as { schemas: Record<string, Found> };
    const own = Object.values(schemas).filter(({ schema_name }) => schema_name !== 'public');
    const e = encodeURIComponent;
    const choose = <Item>(items: readonly Item[]): Item | undefined => items[pick % items.length];
    if (kind === 'schema') return `/schema/${e(choose(own)?.schema_name ?? '')}`;
    const tables = own.flatMap((s) =>
      Object.values(s.tables).map((t) => [`/schema/${e(s.schema_name)}/table/${e(t.table_name)}`, t] as const),
    );
    const lists = tables.flatMap(([url, t]): readonly string[] => {
      if (kind === 'table') return [url];
      if (kind === 'column')
        return t.column_definitions
          .filter(({ name }) => !/^R[A-Z]{2}$/.test(name))
          .map(({ name }) => `${url}/column/${e(name)}`);
      if (kind === 'key') return t.keys.map((k) => `${url}/key/${k.unique_columns.map(e).join(',')}`);
      return t.foreign_keys.map(
        ({ foreign_key_columns: [from], referenced_columns: [to] }) =>
          `${url}/foreignkey/${e(from?.column_name ?? '')}/reference/${e(to?.schema_name ?? '')}:${e(to?.table_name ?? '')}/${e(to?.column_name ?? '')}`,
      );
    });
    return choose(lists) ?? null;
  }

  it('never fail the service, and never part the model from the database', async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(alteration, fc.nat(), async ([kind, document], pick) => {
        const url = await target(kind, pick);
        if (url === null) return;
        const answer = await fixture.request('alice', 'PUT', `${path}${url}`, JSON.stringify(document));
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect({ url, document, status: answer.status, text: answer.status < 500 ? '' : answer.text }).toMatchObject({
          text: '',
        });
        expect([200, 400, 403, 409]).toContain(answer.status);
      }),
      { numRuns: 200 },
    );
    for (const status of [200, 400, 409]) expect(statuses.get(status)).toBeGreaterThan(5);
    await expectSameAsDatabase(fixture, path.slice('/catalog/'.length));
  });
});
