import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

/** Values that are wrong nearly everywhere, and right in some places. */
const odd = fc.constantFrom<unknown>(
  ...[null, 0, -1, 1.5, true, '', 'x', 'id', 'RID', 'y'.repeat(70), '"', 'int4', 'text[]', 'serial4', 'NO ACTION'],
  ...[[], {}, [null], [[]], ['x'], ['*'], [['S', 'k']], { owner: [] }, { owner: ['alice'] }, { bogus: ['a'] }],
  ...[{ typename: 'int4' }, { typename: 'x', is_array: true }, '\u0000', '__proto__', 'constructor', 'infinity'],
);
const types = [
  'text',
  'int4',
  'float8',
  'boolean',
  'json',
  'jsonb',
  'date',
  'timestamptz',
  'uuid',
  'numeric',
  'text[]',
];

const tableDocument = fc.record({
  schema_name: fc.constant('S'),
  table_name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  comment: fc.constant('c'),
  annotations: fc.constant({ k: 1 }),
  acls: fc.constant({}),
  column_definitions: fc.tuple(
    fc.constant({ name: 'id', type: 'int8', nullok: false }),
    fc.record({ name: fc.constant('v'), type: fc.constantFrom(...types), default: odd }),
  ),
  keys: fc.constant([{ unique_columns: ['id'] }]),
  foreign_keys: fc.constant([
    {
      foreign_key_columns: [{ column_name: 'id' }],
      referenced_columns: [{ schema_name: 'S', table_name: 't', column_name: 'id' }],
      on_delete: 'CASCADE',
    },
  ]),
});

/** The document with one member, wherever it is, replaced by something odd or left out. */
const spoiled = fc.tuple(tableDocument, fc.nat(), odd, fc.boolean()).map(([document, pick, value, leaveOut]) => {
  const copy: unknown = structuredClone(document);
  const places: (readonly [Record<string, unknown>, string])[] = [];
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const members = node as Record<string, unknown>;
    for (const [name, member] of Object.entries(members)) {
      places.push([members, name]);
      collect(member);
    }
  };
  collect(copy);
  const [place, name] = places[pick % places.length] ?? [{}, ''];
  if (leaveOut) delete place[name];
  else place[name] = value;
  return copy;
});

describe('documents that are not right', () => {
  let fixture: CatalogFixture;
  let path: string;

  beforeAll(async () => {
    fixture = await startCatalog();
    path = await fixture.createCatalog();
    await fixture.request('alice', 'POST', `${path}/schema/S`);
    const document = {
      table_name: 't',
      column_definitions: [{ name: 'id', type: 'int8' }],
      keys: [{ unique_columns: ['id'] }],
    };
    await fixture.request('alice', 'POST', `${path}/schema/S/table`, document);
  });
  afterAll(() => fixture.close());

  it('are refused by the client errors there are, or work, and never part the model from the database', async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(spoiled, fc.boolean(), async (document, inBulk) => {
        const [target, body] = inBulk ? ['/schema', [document]] : ['/schema/S/table', document];
        const answer = await fixture.request('alice', 'POST', `${path}${target}`, JSON.stringify(body));
        statuses.add(answer.status);
        expect([200, 201, 400, 403, 409]).toContain(answer.status);
      }),
      { numRuns: 150 },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([400, 409]));
    const [row] = await fixture.query(
      path.slice('/catalog/'.length),
      `with visible as (select oid, nspname from pg_namespace where nspname !~ '^(pg_|_catalog$|information_schema$)'),
            relations as (select c.oid from pg_class c join visible n on n.oid = relnamespace where relkind = 'r')
       select (select array_agg(kind || ' ' || count order by kind) from (
                select kind, count(*) from _catalog.elem
                 where hi = 'infinity' and kind in ('schema', 'table', 'column', 'key', 'foreign_key') group by kind) m) as model,
              (select array_agg(kind || ' ' || count order by kind) from (
                select 'schema' as kind, count(*) from visible
                union all select 'table', count(*) from relations
                union all select 'column', count(*) from pg_attribute
                  where attrelid in (select oid from relations) and attnum > 0 and not attisdropped
                union all select case contype when 'u' then 'key' else 'foreign_key' end, count(*) from pg_constraint
                  where conrelid in (select oid from relations) and contype in ('u', 'f') group by 1) d
                where count > 0) as database`,
    );
    expect(row?.model).toEqual(row?.database);
  });
});
