import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

const JSON_TYPE = 'application/json';

/** What a client reads about rows it must mend: which row, which column, which value. */
describe('messages about input rows', () => {
  let fixture: CatalogFixture;
  let path: string;

  beforeAll(async () => {
    fixture = await startCatalog();
    path = await fixture.createCatalog();
    await send('POST', 'schema/S', '');
    const table = {
      table_name: 't',
      column_definitions: [
        { name: 'id', type: 'int4', nullok: false },
        { name: 'a "b"', type: 'float8' },
        { name: 'colour', type: 'color_rgb_hex' },
        { name: 'days', type: 'date[]' },
        { name: 'code', type: 'text', nullok: false },
        { name: 'parent', type: 'int4' },
        { name: 'text', type: 'text' },
      ],
      keys: [{ unique_columns: ['id'] }, { unique_columns: ['code', 'text'] }],
      foreign_keys: [
        {
          foreign_key_columns: [{ schema_name: 'S', table_name: 't', column_name: 'parent' }],
          referenced_columns: [{ schema_name: 'S', table_name: 't', column_name: 'id' }],
        },
      ],
    };
    const made = await send('POST', 'schema/S/table', JSON.stringify(table));
    if (made.status >= 300) throw new Error(made.text);
    const documents = { table_name: 'd', column_definitions: [{ name: 'doc', type: 'jsonb' }] };
    expect((await send('POST', 'schema/S/table', JSON.stringify(documents))).status).toBeLessThan(300);
    const stored = await send('POST', 'entity/S:t', JSON.stringify([{ id: 1, code: 'one', text: 'x' }]));
    if (stored.status !== 200) throw new Error(stored.text);
  });
  afterAll(() => fixture.close());

  const send = (method: string, target: string, body: string, type = JSON_TYPE): Promise<Answer> =>
    fixture.request('alice', method, `${path}/${target}`, body === '' ? undefined : body, { 'content-type': type });

  const good = { id: 10, code: 'c' };
  const many = (last: object): string =>
    JSON.stringify([
      ...Array.from({ length: 999 }, (_, at) => ({ id: 10 + at, code: `c${at}` })),
      { id: 5000, code: 'z', ...last },
    ]);
  const header = 'id,"a ""b""",colour,days,code,parent,text';

  const faults: readonly (readonly [string, string, string, string, string, number, string])[] = [
    [
      'a JSON value',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      many({ 'a "b"': 'heavy' }),
      400,
      'invalid input syntax for type double precision: "heavy" (row 1000 of the input, column "a \\"b\\"")',
    ],
    [
      'a very long value',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([good, { id: '9'.repeat(100_000), code: 'd' }]),
      400,
      '9" is out of range for type integer (row 2 of the input, column "id"',
    ],
    [
      'a very long CSV value',
      'POST',
      'entity/S:t',
      'text/csv',
      `${header}\n${'z'.repeat(100_000)},,,,c,,\n`,
      400,
      'z" (row 1 of the input, column "id")',
    ],
    [
      'a JSON number out of range',
      'PUT',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([good, { id: 99999999999, code: 'd' }]),
      400,
      'value "99999999999" is out of range for type integer (row 2 of the input, column "id")',
    ],
    [
      'the first of several faults, whatever its column',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([good, { id: 11, code: 'd', parent: 'p' }, { id: 'x', code: 'e' }]),
      400,
      'invalid input syntax for type integer: "p" (row 2 of the input, column "parent")',
    ],
    [
      'an element of an array',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([good, { id: 11, code: 'd', days: ['2020-01-01', 'soon'] }]),
      400,
      'invalid input syntax for type date: "soon" (row 2 of the input, column "days", value ',
    ],
    [
      'what is no array',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([{ ...good, days: 'soon' }]),
      400,
      'an array column takes a JSON array or null, not "soon" (row 1 of the input, column "days")',
    ],
    [
      'a value its domain refuses',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([good, { id: 11, code: 'd', colour: 'red' }]),
      409,
      '(row 2 of the input, column "colour", value "red")',
    ],
    [
      'a JSON stream',
      'POST',
      'entity/S:t',
      'application/x-json-stream',
      '{"id":10,"code":"c"}\n\n{"id":1.5,"code":"d"}\n',
      400,
      'invalid input syntax for type integer: "1.5" (row 2 of the input, column "id")',
    ],
    [
      'a CSV value, with records of several lines before it',
      'POST',
      'entity/S:t',
      'text/csv',
      `${header}\n10,,,,c,,"a\nb\n\nc"\n11,heavy,,,d,,\n`,
      400,
      'invalid input syntax for type double precision: "heavy" (row 2 of the input, column "a \\"b\\"")',
    ],
    [
      'the first CSV value',
      'POST',
      'entity/S:t',
      'text/csv',
      `${header}\nten,,,,c,,\n`,
      400,
      'invalid input syntax for type integer: "ten" (row 1 of the input, column "id")',
    ],
    [
      'a CSV array',
      'POST',
      'entity/S:t',
      'text/csv',
      `${header}\n10,,,,c,,"a\nb"\n11,,,"{2020-01-01,soon}",d,,\n`,
      400,
      'invalid input syntax for type date: "soon" (row 2 of the input, column "days", value ',
    ],
    [
      'a CSV value its domain refuses',
      'POST',
      'entity/S:t',
      'text/csv',
      `${header}\n10,,#00ff00,,c,,\n11,,#00ff0g,,d,,\n`,
      409,
      '(row 2 of the input, column "colour", value "#00ff0g")',
    ],
    [
      'NULL where a value must be',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([good, { id: 11 }, {}]),
      409,
      'violates not-null constraint (row 2 of the input, column "code")',
    ],
    [
      'NULL in CSV',
      'PUT',
      'entity/S:t',
      'text/csv',
      `${header}\n10,,,,c,,\n11,,,,,,\n`,
      409,
      '(row 2 of the input, column "code")',
    ],
    [
      'NULL in an update, by the name of the input',
      'PUT',
      'attributegroup/S:t/id;new:=code',
      JSON_TYPE,
      '[{"id":1,"new":null}]',
      409,
      '(row 1 of the input, column "new")',
    ],
    [
      'a bad value of an update',
      'PUT',
      'attributegroup/S:t/was:=id;p:=parent',
      JSON_TYPE,
      '[{"was":1,"p":"x"}]',
      400,
      '"x" (row 1 of the input, column "p")',
    ],
    [
      'a bad key of an update',
      'PUT',
      'attributegroup/S:t/was:=id;parent',
      JSON_TYPE,
      '[{"was":1},{"was":"y"}]',
      400,
      '"y" (row 2 of the input, column "was")',
    ],
    [
      'a key that is stored',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([good, { id: 1, code: 'd' }]),
      409,
      'Key (id)=(1) already exists. (row 2 of the input)',
    ],
    [
      'a compound key that is stored',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([good, { id: 11, code: 'one', text: 'x' }]),
      409,
      'Key (code, text)=(one, x) already exists. (row 2 of the input)',
    ],
    [
      'one key of two rows',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([
        { ...good, text: 'q' },
        { id: 11, code: 'e' },
        { id: 10, code: 'd' },
      ]),
      409,
      'Key (id)=(10) already exists. (rows 1 and 3 of the input)',
    ],
    [
      'a reference to nothing',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([
        { ...good, parent: 1 },
        { id: 11, code: 'd', parent: 99 },
      ]),
      409,
      'Key (parent)=(99) is not present in table "t". (row 2 of the input)',
    ],
    [
      'a reference to nothing in an update',
      'PUT',
      'attributegroup/S:t/id;p:=parent',
      JSON_TYPE,
      '[{"id":1,"p":98}]',
      409,
      'Key (parent)=(98) is not present in table "t". (row 1 of the input)',
    ],
    [
      'a text too long for an index',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([
        { ...good, text: Array.from({ length: 3000 }, (_, at) => ((at * 7919) % 65_536).toString(36)).join(' ') },
      ]),
      400,
      'too long for the index of its column',
    ],
    [
      'a CSV record with too few fields',
      'POST',
      'entity/S:t',
      'text/csv',
      `${header}\n10,,,,c,,"a\nb"\n11,,\n`,
      400,
      'row 2 (line 4): 3 fields where the header has 7',
    ],
    ['what is no JSON', 'POST', 'entity/S:t', JSON_TYPE, '[{"id":10,"code":"c"},{"id":}]', 400, 'row 2'],
    [
      'what is no JSON in CSV',
      'POST',
      'entity/S:d',
      'text/csv',
      'doc\n"[1,\n2]"\n{a}\n',
      400,
      'invalid input syntax for type json (row 2 of the input, column "doc")',
    ],
    [
      'half a character',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      JSON.stringify([good, { id: 11, code: '\ud83d' }]),
      400,
      'row 2 (line 1): the escape \\ud83d stands for half a character',
    ],
    [
      'a number too great for any type, in a long body',
      'POST',
      'entity/S:t',
      JSON_TYPE,
      many({ parent: 'GREAT' }).replace('"GREAT"', '1e999999').padEnd(70_000),
      400,
      'value overflows numeric format (row 1000 of the input)',
    ],
  ];

  it.each(faults)('name the row and more: %s', async (_what, method, target, type, body, status, words) => {
    const answer = await send(method, target, body, type);
    expect([answer.status, answer.json]).toEqual([
      status,
      expect.objectContaining({ detail: expect.stringContaining(words) }),
    ]);
    expect(answer.text).not.toMatch(/holdfast_stage|_catalog\.|COPY/);
    expect(answer.text.length).toBeLessThan(1000);
    const rows = await fixture.request('alice', 'GET', `${path}/attribute/S:t/id,code,parent`);
    expect(rows.json).toEqual([{ id: 1, code: 'one', parent: null }]);
  });
});
