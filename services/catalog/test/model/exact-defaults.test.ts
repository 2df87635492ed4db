import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

/** Columns with defaults that a double cannot hold: type, default as JSON text, and the value of a row as PostgreSQL writes it. */
const columns = [
  ['big', 'int8', '9007199254740993', '9007199254740993'],
  ['least', 'int8', '-9223372036854775808', '-9223372036854775808'],
  ['long', 'numeric', '0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
  ['both', 'numeric', '12345678.901234567890', '12345678.901234567890'],
  ['list', 'int8[]', '[9007199254740993,1,null]', '{9007199254740993,1,NULL}'],
  [
    'doc',
    'jsonb',
    '{"a":[12345678901234567890,"12345678901234567890"]}',
    '{"a": [12345678901234567890, "12345678901234567890"]}',
  ],
  ['small', 'int8', '5', '5'],
] as const;

/** Defaults keep all digits, on the way in, in the database and on the way out (spec/catalog-model.md 9). */
describe('defaults beyond what a double holds', () => {
  let fixture: CatalogFixture;
  let other: CatalogFixture;
  let path: string;
  const documents = columns.map(([name, type, value]) => `{"name":"${name}","type":"${type}","default":${value}}`);

  beforeAll(async () => {
    fixture = await startCatalog();
    other = await startCatalog({ registryUrl: fixture.registryUrl });
    path = await fixture.createCatalog();
    const table = `{"table_name":"t","column_definitions":[${documents.join()}]}`;
    const made = await fixture.request(
      'alice',
      'POST',
      `${path}/schema`,
      `{"schemas":{"S":{"tables":{"t":${table}}}}}`,
    );
    expect([made.text, made.status]).toEqual([made.text, 201]);
    expectDefaults(made.text);
  });
  afterAll(async () => {
    await other.close();
    await fixture.close();
  });

  /** In documents of JSON without spaces. */
  const expectDefaults = (text: string): void => {
    for (const [, , value] of columns) expect(text).toContain(`"default":${value},`);
  };
  const storedDefault = async (name: string): Promise<unknown> => {
    const query = `insert into "S".t default values returning "${name}"::text as value`;
    return (await fixture.query(path.slice('/catalog/'.length), query))[0]?.value;
  };

  it('stand in the documents of the process that made them and of one that reads them', async () => {
    for (const process of [fixture, other])
      for (const part of ['/schema', '/schema/S', '/schema/S/table/t', '/schema/S/table/t/column'])
        expectDefaults((await process.request('alice', 'GET', `${path}${part}`)).text);
  });

  it.each(columns)('%s %s: rows get %s', async (name, _type, _json, value) => {
    expect(await storedDefault(name)).toBe(value);
  });

  it('sent again change nothing; one digit more is another default', async () => {
    const snaptime = async () => ((await other.request('alice', 'GET', path)).json as { snaptime: string }).snaptime;
    const before = await snaptime();
    for (const [index, [name]] of columns.entries()) {
      const same = await fixture.request('alice', 'PUT', `${path}/schema/S/table/t/column/${name}`, documents[index]);
      expect(same.status).toBe(200);
    }
    expect(await snaptime()).toBe(before);
    const put = (value: string) =>
      fixture.request('alice', 'PUT', `${path}/schema/S/table/t/column/big`, `{"default":${value}}`);
    const changed = await put('9007199254740995');
    expect([changed.status, changed.text]).toEqual([200, expect.stringContaining('"default":9007199254740995,')]);
    expect(await storedDefault('big')).toBe('9007199254740995');
    expect(await snaptime()).not.toBe(before);
    // as a text it is the same number
    expect((await put('"9007199254740993"')).text).toContain('"default":9007199254740993,');
    expect((await put('9223372036854775808')).status).toBe(400);
  });

  it('go along with a change of the type', async () => {
    const place = `${path}/schema/S/table/t/column/big`;
    const numeric = await fixture.request('alice', 'PUT', place, { type: 'numeric' });
    expect(numeric.text).toContain('"default":9007199254740993,');
    const text = await fixture.request('alice', 'PUT', place, { type: 'text' });
    expect(text.text).toContain('"default":"9007199254740993",');
  });

  it('of columns made by hand are shown', async () => {
    await fixture.query(
      path.slice('/catalog/'.length),
      `create table "S".hand (a int8 default 9007199254740997, b numeric default '1234567890.12345678901');
       select _catalog.model_changed()`,
    );
    const { text } = await other.request('alice', 'GET', `${path}/schema/S/table/hand`);
    for (const value of ['9007199254740997', '1234567890.12345678901']) expect(text).toContain(`"default":${value},`);
  });

  it('elsewhere numbers are doubles, and never a failure', async () => {
    const put = await fixture.request('alice', 'PUT', `${path}/annotation/x`, '{"default":12345678901234567890}');
    expect(put.status).toBe(201);
    expect((await fixture.request('alice', 'GET', `${path}/annotation/x`)).json).toEqual({
      default: Number('12345678901234567890'),
    });
    for (const body of [
      '{"comment":12345678901234567890}',
      '{"name":12345678901234567890}',
      '{"acls":{"select":[1e400]}}',
    ])
      expect((await fixture.request('alice', 'PUT', `${path}/schema/S/table/t/column/small`, body)).status).toBe(400);
  });
});
