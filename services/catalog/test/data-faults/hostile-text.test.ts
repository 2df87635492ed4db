import { encodeValue } from '@holdfast/path-grammar';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Answer, type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

/** Texts that end literals, names, comments, records or statements somewhere on the way, if anything lets them. */
const hostile: readonly string[] = [
  "'",
  '"',
  '\\',
  "\\'",
  '\'; drop table "S".guard; --',
  '"; drop table "S".guard; --',
  '$$',
  '$1',
  '$tag$',
  "E'\\'' or true",
  "U&'\\0027'",
  'U&"\\0022"',
  '--',
  '/*',
  '*/',
  ');',
  "'||pg_sleep(9)||'",
  '\\.',
  '\\N',
  '\\x27',
  'NULL',
  'null',
  '{a,b}',
  '{"a"}',
  '[1]',
  '%27',
  '%',
  '?',
  ':=',
  '::text',
  '@sort(RID)',
  '$A',
  '*',
  'any(1)',
  '(a)=(b)',
  'a,b',
  'a\nb',
  'a\r\nb',
  '\t',
  '\u0001',
  '\u0002',
  '\u007f',
  ' ',
  ' a ',
  '__proto__',
  'constructor',
  'é',
  'e\u0301',
  '𝛼',
  '\u202eabc',
  'שלום',
  '\ufeff',
  '\u2028',
  'RID ',
  'rid',
  'x'.repeat(63),
  '𝛼'.repeat(15),
];

describe('hostile text', () => {
  let fixture: CatalogFixture;
  let path: string;

  beforeAll(async () => {
    fixture = await startCatalog();
    path = await fixture.createCatalog();
    await demand('POST', 'schema/S');
    await demand('POST', 'schema/S/table', {
      table_name: 'guard',
      column_definitions: [{ name: 'id', type: 'int4', nullok: false }],
      keys: [{ unique_columns: ['id'] }],
    });
    await demand('POST', 'entity/S:guard', [{ id: 1 }, { id: 2 }]);
    await demand('POST', 'schema/S/table', {
      table_name: 'values',
      column_definitions: [
        { name: 'id', type: 'int4', nullok: false },
        { name: 'text', type: 'text' },
        { name: 'words', type: 'text[]' },
        { name: 'doc', type: 'jsonb' },
        { name: 'raw', type: 'json' },
        { name: 'marked', type: 'markdown' },
      ],
      keys: [{ unique_columns: ['id'] }],
      // an index entry has no room for the long texts below
      annotations: { 'tag:example.org,2018:indexing-preferences': { btree: false, gin_array: false } },
    });
  });
  afterAll(() => fixture.close());

  const send = (method: string, target: string, body?: unknown, type = 'application/json'): Promise<Answer> =>
    fixture.request('alice', method, `${path}/${target}`, body, { 'content-type': type });

  async function demand(method: string, target: string, body?: unknown, type?: string): Promise<unknown> {
    const answer = await send(method, target, body, type);
    if (answer.status >= 300)
      throw new Error(`${method} ${target} ${JSON.stringify(body)?.slice(0, 500)}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  async function expectGuarded(): Promise<void> {
    expect(await demand('GET', 'attribute/S:guard/id@sort(id)')).toEqual([{ id: 1 }, { id: 2 }]);
  }

  it.each(
    hostile
      .filter((_, index) => index % 5 === 0 || index < 5)
      .map((text, index) => [JSON.stringify(text), text, index] as const),
  )('is a name like any other: %s', async (_shown, name, index) => {
    const schema = fitting(`${index}${name}`);
    const [s, t] = [encodeValue(schema), encodeValue(name)];
    const first = 'first';
    await demand('POST', `schema/${s}`);
    await demand('POST', `schema/${s}/table`, {
      table_name: name,
      column_definitions: [
        { name, type: 'text', nullok: false },
        { name: first, type: 'text' },
      ],
      keys: [{ unique_columns: [name], names: [[schema, fitting(`k${name}`)]] }],
    });
    await demand('POST', `schema/${s}/table`, {
      table_name: fitting(`2${name}`),
      column_definitions: [{ name, type: 'text' }],
      foreign_keys: [
        {
          names: [[schema, fitting(`f${name}`)]],
          foreign_key_columns: [{ schema_name: schema, table_name: fitting(`2${name}`), column_name: name }],
          referenced_columns: [{ schema_name: schema, table_name: name, column_name: name }],
        },
      ],
    });
    const table = `${s}:${t}`;
    const other = `${s}:${encodeValue(fitting(`2${name}`))}`;
    const row = JSON.parse(`{${JSON.stringify(name)}: "v", "first": "w"}`);
    const plain = (found: unknown): unknown => JSON.stringify(found);
    await demand('POST', `entity/${table}`, JSON.stringify([row]));
    await demand('POST', `entity/${other}`, `${csvField(name)}\nv\n`, 'text/csv');
    // the star has a meaning of its own unless a column has its name, as here
    for (const target of [
      `attribute/${table}/${t}=v/${t},first`,
      `attribute/${table}/${t}=any(v,x)/${t},first@sort(${t})@after(a)`,
      `attribute/${t}:=${table}/${t}:${t}=v/${t}:${t},first@sort(${t}::desc::)`,
      `attribute/${table}/${other}/$A`.replace('/$A', `/A:=(${t})/${t},first`),
      `attribute/${other}/(${t})=(${table}:${t})/${t},first`,
      `attributegroup/${table}/${t},first`,
    ]) {
      expect(plain(await demand('GET', target))).toBe(plain([row]));
    }
    const csv = await send('GET', `attribute/${table}/${t},first?accept=csv`);
    expect(csv.text).toBe(`${csvField(name)},first\nv,w\n`);
    await demand(
      'PUT',
      `attributegroup/${table}/${t};${t}x:=first`,
      JSON.stringify([{ [name]: 'v', [`${name}x`]: 'w2' }]),
    );
    await demand('PUT', `entity/${table}`, `${csvField(name)},first\nv,w3\nu,\n`, 'text/csv');
    const bad = await send('POST', `entity/${table}`, JSON.stringify([row]));
    expect([bad.status, JSON.stringify(bad.json)]).toEqual([
      409,
      expect.stringContaining(JSON.stringify(`violates unique constraint "${fitting(`k${name}`)}"`).slice(1, -1)),
    ]);
    await demand('DELETE', `attribute/${table}/${t}=v/first`);
    await demand('DELETE', `entity/${other}/${t}=v`);
    await demand('DELETE', `entity/${table}/${t}=any(v,u)`);
    await expectGuarded();
  });

  it('is a name of a column, an alias and an output', async () => {
    await demand('POST', 'schema/S/table', {
      table_name: 'wide',
      column_definitions: hostile.map((name) => ({ name, type: 'text' })),
    });
    const row = hostile.map((name, index): [string, string] => [name, `v${index}`]);
    const [stored] = (await demand('POST', 'entity/S:wide', textOf([row]))) as readonly object[];
    expect(Object.entries(stored ?? {}).filter(([name]) => !/^R(ID|CT|MT|CB|MB)$/.test(name))).toEqual(row);
    const header = row.map(([name]) => csvField(name)).join(',');
    await demand(
      'PUT',
      `attributegroup/S:wide/RID;${row.map(([name]) => encodeValue(name)).join(',')}`,
      `RID,${header}\n${String(Object.entries(stored ?? {})[0]?.[1])},${row.map(([, value]) => value).join(',')}\n`,
      'text/csv',
    );
    for (const [name, value] of row) {
      const n = encodeValue(name);
      const answer = textOf([[[name, value]]]);
      for (const target of [
        `attribute/S:wide/${n}=${value}/${n}`,
        `attribute/${n}:=S:wide/${n}:${n}=any(${value},x)/${n}:${n}@sort(${n})@after(a)`,
        `attribute/S:wide/${n}:=(${n})=(S:wide:${n})/$${n}/${n}::regexp::${value}/${n}@sort(${n}::desc::)`,
        `attributegroup/S:wide/${n}`,
        `aggregate/S:wide/${n}:=min(${n})`,
      ]) {
        expect(JSON.stringify(await demand('GET', target))).toBe(answer);
      }
      // the record of one column; a reader takes U+FEFF at the start for a mark of the encoding
      const written = (await send('GET', `attribute/S:wide/${n}?accept=csv`)).text;
      expect(written).toBe(`${name === '\\.' ? '"\\."' : writtenField(name).replace(/^\ufeff/, '')}\n${value}\n`);
    }
    await expectGuarded();
  });

  it('is data in every place a value has', async () => {
    const text = fc.oneof(
      fc.constantFrom(...hostile),
      fc.string({
        unit: fc.constantFrom(...'\'"\\$-/*.,;{}()[]%\n\r\t aE&U:=é𝛼\u0001\u0002\u202e\ufeff'),
        maxLength: 30,
      }),
      fc.string({ unit: 'binary', maxLength: 20 }).map((made) => made.replaceAll('\u0000', '').toWellFormed()),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 8 }), fc.boolean(), async (texts, csv) => {
        await send('DELETE', 'entity/S:values');
        const rows = texts.map((one, id) => ({
          id,
          text: one,
          words: [one, null],
          doc: { [one]: one },
          raw: [one],
          marked: one,
        }));
        if (csv) {
          const fields = rows.map(({ id, ...row }) =>
            [
              String(id),
              row.text,
              JSON.stringify(row.words),
              JSON.stringify(row.doc),
              JSON.stringify(row.raw),
              row.marked,
            ]
              .map(csvField)
              .join(','),
          );
          await demand('POST', 'entity/S:values', `id,text,words,doc,raw,marked\n${fields.join('\n')}\n`, 'text/csv');
        } else await demand('POST', 'entity/S:values', JSON.stringify(rows));
        const all = 'id,text,words,doc,raw,marked';
        expect(await demand('GET', `attribute/S:values/${all}@sort(id)`)).toEqual(rows);
        const listed = (await send('GET', 'attribute/S:values/id,text@sort(id)?accept=csv')).text;
        expect(listed).toBe(`id,text\n${texts.map((one, id) => `${id},${writtenField(one)}\n`).join('')}`);
        for (const row of rows) {
          const value = encodeValue(row.text);
          const out = row.text === '' ? 'out' : row.text;
          for (const target of [
            `S:values/text=${value}/id`,
            `S:values/marked=any(${value})/id`,
            `S:values/words=all(${value})/id`,
            `S:values/doc=${encodeValue(JSON.stringify(row.doc))}/id`,
            `A:=S:values/A:text::geq::${value}&A:text::leq::${value}/id`,
          ]) {
            expect(await demand('GET', `attribute/${target}`)).toEqual([{ id: row.id }]);
          }
          const renamed = await demand('GET', `attribute/S:values/id=${row.id}/${encodeValue(out)}:=text,n:=id`);
          expect(JSON.stringify(renamed)).toBe(
            JSON.stringify([
              Object.fromEntries([
                [out, row.text],
                ['n', row.id],
              ]),
            ]),
          );
          const next = [...texts].sort(bytewise).filter((other) => bytewise(other, row.text) > 0);
          expect(await demand('GET', `attribute/S:values/text@sort(text)@after(${value})`)).toEqual(
            next.map((other) => ({ text: other })),
          );
          const download = await send('GET', `entity/S:values?limit=1&download=${value}`);
          expect(download.status).toBe(200);
          const name = row.text === '' ? null : `attachment; filename*=UTF-8''${strictlyEncoded(`${row.text}.json`)}`;
          expect(download.headers.get('content-disposition')).toBe(name);
          const matched = await send('GET', `attribute/S:values/text::regexp::${value}/id`);
          expect([200, 400]).toContain(matched.status);
          const searched = await send('GET', `attribute/S:values/*::ts::${value}/id`);
          expect([200, 400]).toContain(searched.status);
        }
        expect(
          await demand(
            'PUT',
            'attributegroup/S:values/text;marked',
            JSON.stringify(texts.map((one) => ({ text: one, marked: null }))),
          ),
        ).toHaveLength(texts.length);
        await demand('DELETE', `entity/S:values/text=any(${texts.map(encodeValue).join(',')})`);
        expect(await demand('GET', 'entity/S:values')).toEqual([]);
      }),
      { numRuns: 15 },
    );
    await expectGuarded();
  });

  it('is refused as a literal of the types it does not fit', async () => {
    await demand('POST', 'schema/S/table', {
      table_name: 'typed',
      column_definitions: [
        'int4',
        'float8',
        'numeric',
        'boolean',
        'date',
        'timestamptz',
        'time',
        'interval',
        'uuid',
        'jsonb',
        'int4[]',
        'date[]',
      ].map((type) => ({ name: type, type })),
    });
    for (const type of [
      'int4',
      'float8',
      'numeric',
      'boolean',
      'date',
      'timestamptz',
      'time',
      'interval',
      'uuid',
      'jsonb',
    ]) {
      for (const text of [
        ...hostile.filter((_, index) => index % 6 === 0),
        '1e999999',
        "1'::text",
        'infinity()',
        '9'.repeat(2000),
      ]) {
        const literal = encodeValue(text);
        for (const target of [
          `attribute/S:typed/${type}=${literal}/RID`,
          `attribute/S:typed/${type}::gt::any(${literal})/RID`,
          `attribute/S:typed/${type}@sort(${type})@after(${literal})`,
          ...(['int4', 'float8', 'numeric', 'date', 'timestamptz'].includes(type)
            ? [`attribute/S:typed/bin(${type};${literal};0;1)`, `attribute/S:typed/bin(${type};2;${literal};1)`]
            : []),
        ]) {
          const answer = await send('GET', target);
          expect([target, answer.status === 200 || answer.status === 400]).toEqual([target, true]);
        }
        const json = await send('POST', 'entity/S:typed', JSON.stringify([{ [type]: text }]));
        const csv = await send(
          'POST',
          'entity/S:typed',
          `${Object.keys(typedRow).map(csvField).join(',')}\n${Object.keys(typedRow)
            .map((name) => (name === type ? csvField(text) : ''))
            .join(',')}\n`,
          'text/csv',
        );
        expect([text, [200, 400].includes(json.status), [200, 400].includes(csv.status)]).toEqual([text, true, true]);
      }
    }
    await expectGuarded();
  }, 120_000);

  it.each([
    ['a literal', () => send('GET', 'attribute/S:values/text=%00/id')],
    ['an output name', () => send('GET', 'attribute/S:values/a%00b:=text')],
    ['a page key', () => send('GET', 'attribute/S:values/text@sort(text)@after(a%00)')],
    ['a file name', () => send('GET', 'entity/S:values?download=a%00')],
    ['a JSON value', () => send('POST', 'entity/S:values', '[{"id":1,"text":"a\\u0000"}]')],
    ['a JSON document', () => send('POST', 'entity/S:values', '[{"id":1,"doc":{"a":"\\u0000"}}]')],
    ['a CSV field', () => send('POST', 'entity/S:values', 'id,text,words,doc,raw,marked\n1,a\u0000,,,,\n', 'text/csv')],
    ['a CSV header', () => send('POST', 'entity/S:values', 'id,te\u0000xt\n', 'text/csv')],
    ['a column of defaults', () => send('POST', 'entity/S:values?defaults=%00', '[]')],
  ])('with NUL is refused in %s', async (_place, ask) => {
    const answer = await ask();
    expect([answer.status, answer.json]).toEqual([400, expect.objectContaining({ status: 400 })]);
    expect(await demand('GET', 'entity/S:values')).toEqual([]);
  });

  it('may be long', async () => {
    const long = `${'\'\\"𝛼'.repeat(150_000)}`;
    const varied = Array.from({ length: 20_000 }, (_, index) => ((index * 7919) % 65_536).toString(36)).join("'");
    for (const text of [long, varied]) {
      const body = JSON.stringify([{ id: 1, text, words: [text], doc: { a: text }, raw: text, marked: text }]);
      expect(await demand('POST', 'entity/S:values', body)).toEqual([expect.objectContaining({ text })]);
      await demand('DELETE', 'entity/S:values');
    }
    const name = 'ü'.repeat(1200);
    expect(
      await demand(
        'GET',
        `aggregate/${encodeValue(name.slice(0, 500))}:=S:guard/${encodeValue(name.slice(0, 600))}:=cnt(*)`,
      ),
    ).toEqual([{ [name.slice(0, 600)]: 2 }]);
  });
});

const typedRow: Readonly<Record<string, null>> = Object.fromEntries(
  [
    'int4',
    'float8',
    'numeric',
    'boolean',
    'date',
    'timestamptz',
    'time',
    'interval',
    'uuid',
    'jsonb',
    'int4[]',
    'date[]',
  ].map((name) => [name, null]),
);

function csvField(text: string): string {
  return text === '' || /^\ufeff|[,"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** As the service writes a field: quoted only where it must be. */
function writtenField(text: string): string {
  return text === '' || /[,"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as JSON text with their members in order, whatever their names: `__proto__` and `1` too. */
function textOf(rows: readonly (readonly (readonly [string, string])[])[]): string {
  const objects = rows.map(
    (row) => `{${row.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
  );
  return `[${objects.join(',')}]`;
}

function bytewise(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function strictlyEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** Cut to what a name may have: 63 bytes of UTF-8. */
function fitting(name: string): string {
  let cut = [...name];
  while (Buffer.byteLength(cut.join('')) > 63) cut = cut.slice(0, -1);
  return cut.join('');
}
