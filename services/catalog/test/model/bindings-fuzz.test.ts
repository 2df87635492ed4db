import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

const types = ['boolean', 'int2', 'int8', 'float8', 'numeric', 'text', 'date', 'timestamptz', 'time', 'interval'];
const columnTypes = [...types, 'uuid', 'json', 'jsonb', 'markdown', 'color_rgb_hex', 'text[]', 'int4[]', 'jsonb[]'];

const json = { maxDepth: 2, noUnicodeString: false };
const columnName = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('id', 'other', 'RID', 'RCT', ...columnTypes) },
  { weight: 1, arbitrary: fc.constantFrom('nope', '', '__proto__', 'constructor') },
);
const alias = fc.constantFrom('base', 'a', 'b', '');
const pair = fc.constantFrom(['S', 'self'], ['S', 'self'], ['S', 'away'], ['', 'self'], ['S'], 'self', ['S', 'nope']);
const link = fc.oneof(
  fc.record({ outbound: pair, context: alias, alias }, { requiredKeys: ['outbound'] }),
  fc.record({ inbound: pair, context: alias, alias }, { requiredKeys: ['inbound'] }),
);
const operand = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    '0',
    '7',
    'true',
    '2020-02-30',
    '2020-01-01',
    '1 day',
    '{',
    '[1]',
    '"x"',
    'infinity',
    '1e999',
  ),
  fc.constantFrom<unknown>(
    0,
    -1,
    1.5,
    1e300,
    10 ** 18,
    true,
    false,
    null,
    [],
    {},
    '(?',
    '[[:x:]]',
    'a{9999}',
    '\\',
    '12:00',
  ),
  fc.string(),
  fc.double(),
);
const operator = fc.constantFrom(
  '=',
  'lt',
  'leq',
  'gt',
  'geq',
  'regexp',
  'ciregexp',
  'null',
  '::geq::',
  '::null::',
  'ts',
);
const comparison = fc.record(
  {
    filter: fc.oneof(
      columnName,
      columnName.map((name) => [name]),
      fc.tuple(fc.oneof(alias, fc.constant(null)), columnName),
    ),
    operator,
    operand,
    negate: fc.boolean(),
  },
  { requiredKeys: ['filter'] },
);
const filter = fc.oneof(
  { weight: 4, arbitrary: comparison },
  { weight: 1, arbitrary: fc.record({ and: fc.array(comparison, { maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ or: fc.array(comparison, { maxLength: 3 }), negate: fc.boolean() }) },
);
const step = fc.oneof(
  { weight: 3, arbitrary: link },
  { weight: 6, arbitrary: filter },
  { weight: 1, arbitrary: fc.jsonValue(json) },
);
const projection = fc.oneof(
  { weight: 2, arbitrary: columnName },
  {
    weight: 6,
    arbitrary: fc.tuple(fc.array(step, { maxLength: 3 }), columnName).map(([steps, name]) => [...steps, name]),
  },
  { weight: 1, arbitrary: fc.jsonValue(json) },
);
const mostly = <Value>(right: fc.Arbitrary<Value>, ...wrong: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });
const usual = fc.record(
  {
    types: mostly(fc.constantFrom(['select'], ['owner'], ['update', 'delete']), [], ['insert'], 'x'),
    projection,
    projection_type: fc.constantFrom('acl', 'nonnull', 'nonnull'),
    scope_acl: mostly(fc.constantFrom(['*'], ['bob']), [], ['']),
    comment: mostly(fc.constant('c'), 7),
  },
  { requiredKeys: ['types', 'projection'] },
);
const binding = fc.oneof({ weight: 20, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue(json) });

/** Whatever is sent as a binding is stored and can be read back, or refused as a mistake of the client. */
describe('random bindings', () => {
  let fixture: CatalogFixture;
  let path: string;

  beforeAll(async () => {
    fixture = await startCatalog();
    path = await fixture.createCatalog();
    const place = { schema_name: 'S' };
    const reference = (name: string, column: string, table: string) => ({
      names: [['S', name]],
      foreign_key_columns: [{ column_name: column }],
      referenced_columns: [{ ...place, table_name: table, column_name: 'id' }],
    });
    const key = { column_definitions: [{ name: 'id', type: 'int4' }], keys: [{ unique_columns: ['id'] }] };
    const columns = [
      { name: 'id', type: 'int4' },
      { name: 'other', type: 'int4' },
      ...columnTypes.map((type) => ({ name: type, type })),
    ];
    const { status } = await fixture.request('alice', 'POST', `${path}/schema`, [
      place,
      { ...place, table_name: 'far', ...key },
      {
        ...place,
        table_name: 't',
        column_definitions: columns,
        keys: [{ unique_columns: ['id'] }],
        foreign_keys: [reference('self', 'other', 't'), reference('away', 'other', 'far')],
      },
    ]);
    expect(status).toBe(201);
  });
  afterAll(() => fixture.close());

  it('are never a failure of the service, and what is accepted is shown as it was sent', async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(binding, fc.boolean(), async (document, onColumn) => {
        const subject = `${path}/schema/S/table/t${onColumn ? '/column/text' : ''}/acl_binding/b`;
        const body = JSON.stringify(document);
        const answer = await fixture.request('alice', 'PUT', subject, body);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect({ body, status: answer.status, text: answer.text }).toMatchObject({
          status: expect.any(Number),
          text: answer.status === 204 ? '' : expect.any(String),
        });
        expect([204, 400, 409]).toContain(answer.status);
        if (answer.status !== 204 || document === null) return;
        const shown = await fixture.request('alice', 'GET', subject);
        expect(shown.status).toBe(200);
        const sent: unknown = JSON.parse(body);
        if (typeof sent === 'object' && sent !== null) expect(shown.json).toMatchObject(sent);
        expect((await fixture.request('alice', 'GET', `${path}/schema`)).status).toBe(200);
      }),
      { numRuns: 400 },
    );
    // the generator reaches all three, and often enough
    for (const status of [204, 400, 409]) expect(statuses.get(status)).toBeGreaterThan(20);
  });
});
