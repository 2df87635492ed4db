import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, type CatalogFixture, type ClientName, startCatalog } from '../support/catalog-fixture.js';

type Row = Readonly<Record<string, unknown>>;

/** Rules of spec/catalog-data.md that none of its worked examples shows. */
describe.each(['standard', 'deriva'] as const)('rules of rows, %s profile', (profile) => {
  let fixture: CatalogFixture;
  let path: string;
  const leases = profile === 'standard' ? 'public:Catalog_RID_Lease' : 'public:ERMrest_RID_Lease';

  beforeAll(async () => {
    fixture = await startCatalog({ profile });
    path = await fixture.createCatalog();
    await rows('alice', 'PUT', 'acl', { owner: ['alice'], enumerate: ['*'], select: ['*'], insert: ['bob'] });
    await rows('alice', 'POST', 'schema/S');
  });
  afterAll(() => fixture.close());

  function send(as: ClientName, method: string, target: string, body?: unknown): Promise<Answer> {
    const type = { 'content-type': 'application/json' };
    return fixture.request(as, method, `${path}/${target}`, body, body === undefined ? {} : type);
  }

  async function rows(as: ClientName, method: string, target: string, body?: unknown): Promise<readonly Row[]> {
    const answer = await send(as, method, target, body);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.text}`);
    return Array.isArray(answer.json) ? answer.json : [];
  }

  const table = (name: string, columns: readonly object[], rest: object = {}): Promise<unknown> =>
    rows('alice', 'POST', 'schema/S/table', { table_name: name, column_definitions: columns, ...rest });

  describe('identifiers with {RID} (5.3)', () => {
    beforeAll(() =>
      table(
        'named',
        [
          { name: 'id', type: 'ermrest_curie', default: 'X:{RID}' },
          { name: 'uri', type: 'ermrest_uri' },
          { name: 'other', type: 'ermrest_uri', default: '{RID}' },
          { name: 'code', type: 'text', nullok: false },
        ],
        { keys: [{ unique_columns: ['code'] }] },
      ),
    );

    it('get the RID of the row wherever it is named, by default too, in columns of the four names', async () => {
      const [row] = await rows('alice', 'POST', 'entity/S:named?defaults=id,other', [
        { code: 'a', uri: '{RID}/{RID}' },
      ]);
      expect(row).toMatchObject({ id: `X:${row?.RID}`, uri: `${row?.RID}/${row?.RID}`, other: '{RID}' });
    });

    it('get it when PUT makes the row, and not when it changes it', async () => {
      const put = (uri: string) => rows('alice', 'PUT', 'entity/S:named', [{ code: 'b', id: 'Y:{RID}', uri }]);
      const [made] = await put('u{RID}');
      expect(made).toMatchObject({ id: `Y:${made?.RID}`, uri: `u${made?.RID}` });
      expect(await put('v{RID}')).toMatchObject([{ id: 'Y:{RID}', uri: 'v{RID}' }]);
    });

    it('leave a default that is an expression to the database', async () => {
      const database = path.split('/').at(-1) ?? '';
      const set = (to: string) => fixture.query(database, `alter table "S".named alter column id set default ${to}`);
      await set(`'made ' || 'here'`);
      await fixture.query(database, 'select _catalog.model_changed()');
      expect(await rows('alice', 'POST', 'entity/S:named?defaults=id', [{ code: 'e' }])).toMatchObject([
        { id: 'made here' },
      ]);
      await set(`'X:{RID}'`);
      await fixture.query(database, 'select _catalog.model_changed()');
    });

    it('get it by default in a column that the client does not see', async () => {
      await rows('alice', 'PUT', 'schema/S/table/named/acl', { insert: ['bob'], update: ['bob'] });
      await rows('alice', 'PUT', 'schema/S/table/named/column/id/acl/enumerate', []);
      const [posted] = await rows('bob', 'POST', 'entity/S:named', [{ code: 'c' }]);
      const [put] = await rows('bob', 'PUT', 'entity/S:named', [{ code: 'd' }]);
      expect(posted).not.toHaveProperty('id');
      for (const made of [posted, put])
        expect(await rows('alice', 'GET', `attribute/S:named/RID=${made?.RID}/id`)).toEqual([{ id: `X:${made?.RID}` }]);
    });
  });

  describe('bounds of bins (3.7)', () => {
    beforeAll(async () => {
      await table(
        'measured',
        ['float4', 'float8', 'int8', 'numeric', 'date', 'timestamp', 'timestamptz'].map((type) => ({
          name: type,
          type,
        })),
      );
      await rows('alice', 'POST', 'entity/S:measured', [
        {
          float4: 0.1,
          float8: 0.1,
          int8: '9223372036854775806',
          numeric: 0.1,
          date: '2015-03-11',
          timestamp: '2015-03-11T18:32:56.00015',
          timestamptz: '2015-03-11T18:32:56.00015Z',
        },
      ]);
    });
    const bin = (rest: string, filter = ''): Promise<Answer> =>
      send('alice', 'GET', `attribute/S:measured${filter}/b:=bin(${rest})`);

    it.each([
      ['float4;2;0.1;0.9', '[1, 0.1, 0.5]'],
      ['float4;2;0.2;0.9', '[0, null, 0.2]'],
      ['float4;2;0.01;0.1', '[3, 0.1, null]'],
      ['float8;1;0;1', '[1, 0, 1]'],
      ['int8;1;9223372036854775807;9223372036854775808', '[0, null, 9223372036854775807]'],
      ['int8;1;0;9223372036854775805', '[2, 9223372036854775805, null]'],
      // bounds that differ by less than a millisecond
      [
        'timestamptz;1;2015-03-11T18%3A32%3A56.0001;2015-03-11T18%3A32%3A56.0002',
        '[1, "2015-03-11T18:32:56.0001+00:00", "2015-03-11T18:32:56.0002+00:00"]',
      ],
    ])('keep their digits: %s', async (rest, shown) => {
      expect((await bin(rest)).text).toBe(`[{"b":${shown}}]\n`);
    });

    it.each([
      'float8;2;5;5',
      'float8;2;6;5',
      'float4;2;nan;5',
      'float8;2;0;Infinity',
      'numeric;2;-Infinity;0',
      'int8;2;2;1',
      'int8;2;99999999999999999999;1',
      'date;2;2015-01-01;11 Mar 2014',
      'date;2;2015-01-01;1 Jan 2015',
      'date;2;2015-01-01;infinity',
      'timestamp;2;20150311T000000;20150310T000000',
      'timestamptz;2;2015-03-11T01%3A00%3A00%2B01;2015-03-11',
      'timestamptz;2;-infinity;2015-03-11',
    ])('must ascend and be finite, whether there are rows or not: %s', async (rest) => {
      const url = rest.replaceAll(' ', '%20');
      for (const filter of ['', '/RID=0']) {
        const { status, text } = await bin(url, filter);
        expect([status, text]).toEqual([400, expect.stringContaining('lower bound')]);
      }
    });
  });

  describe('leases (6.4)', () => {
    const lease = async (): Promise<unknown> => (await rows('alice', 'POST', `entity/${leases}`, [{}]))[0]?.RID;
    const change = async (): Promise<unknown> =>
      (
        await fixture.query(path.split('/').at(-1) ?? '', 'select tables from _catalog.snap order by ts desc limit 1')
      )[0];
    const ridOf = async (target: string): Promise<unknown> => {
      const { json } = await send('alice', 'GET', target);
      return typeof json === 'object' && json !== null && 'RID' in json ? json.RID : null;
    };

    beforeAll(() =>
      table('leased', [{ name: 'code', type: 'text', nullok: false }], { keys: [{ unique_columns: ['code'] }] }),
    );

    it('that are used up are part of the snapshot, also when the row they were for is skipped', async () => {
      const leaseTable = await ridOf(`schema/public/table/${leases.slice('public:'.length)}`);
      const tableRid = await ridOf('schema/S/table/leased');
      const post = async () =>
        rows('alice', 'POST', 'entity/S:leased?nondefaults=RID&onconflict=skip', [{ RID: await lease(), code: 'a' }]);
      expect(await post()).toHaveLength(1);
      expect(await change()).toEqual({ tables: [tableRid, leaseTable] });
      const before = (await send('alice', 'GET', `entity/${leases}`)).headers.get('etag');
      expect(await post()).toEqual([]);
      expect(await change()).toEqual({ tables: [leaseTable] });
      const after = await send('alice', 'GET', `entity/${leases}`);
      expect(after.json).toEqual([]);
      expect(after.headers.get('etag')).not.toBe(before);
    });

    it('that are stored with RIDs of their own stay', async () => {
      const [row] = await rows('alice', 'POST', `entity/${leases}?nondefaults=RID`, [{ RID: 'ZZZ0', ID: 'copied' }]);
      expect(await rows('alice', 'GET', `entity/${leases}/RID=ZZZ0`)).toEqual([row]);
    });
  });

  it('keeps the text of JSON, in arrays too (4.2)', async () => {
    await table('texts', [
      { name: 'doc', type: 'json' },
      { name: 'docs', type: 'json[]' },
    ]);
    const [first, second] = ['{"b": 1,  "a":[1, 2],"b":1.0}', '{ "z":1e2}'];
    const sent: readonly (readonly [string, string])[] = [
      ['application/json', `[{"doc":${first},"docs":[${first},null,${second}]}]`],
      [
        'text/csv',
        `doc,docs\n${[first, `[${first},null,${second}]`].map((text) => `"${text.replaceAll('"', '""')}"`).join(',')}\n`,
      ],
    ];
    for (const [type, body] of sent) {
      const posted = await fixture.request('alice', 'POST', `${path}/entity/S:texts`, body, { 'content-type': type });
      expect([type, posted.status]).toEqual([type, 200]);
      const { text } = await send('alice', 'GET', 'attribute/S:texts/doc,docs');
      expect([type, text.trimEnd()]).toEqual([type, `[{"doc":${first},"docs":[${first}, null, ${second}]}]`]);
      await rows('alice', 'DELETE', 'entity/S:texts');
    }
    for (const docs of ['{}', '"x"', '7'])
      expect((await send('alice', 'POST', 'entity/S:texts', `[{"docs":${docs}}]`)).status).toBe(400);
    expect(await rows('alice', 'POST', 'entity/S:texts', [{ docs: null }, { docs: [] }])).toMatchObject([
      { docs: null },
      { docs: [] },
    ]);
  });

  it('pages by JSON arrays whose elements are what they are in a body (3.9)', async () => {
    await table('lists', [
      { name: 'big', type: 'int8[]' },
      { name: 'docs', type: 'jsonb[]' },
    ]);
    const most = '9223372036854775807';
    await rows('alice', 'POST', 'entity/S:lists', `[{"big":[${most}],"docs":["a"]},{"big":[1,null],"docs":[null]}]`);
    const ids = (target: string) => rows('alice', 'GET', `attribute/S:lists/${target}`);
    const key = encodeURIComponent;
    expect(await ids(`x:=big@sort(x)@after(${key('[9223372036854775806]')})`)).toHaveLength(1);
    expect(await ids(`x:=big@sort(x)@after(${key(`[${most}]`)})`)).toEqual([]);
    expect(await ids(`x:=big@sort(x)@after(${key('[1,null]')})`)).toHaveLength(1);
    expect(await ids(`x:=docs@sort(x)@after(${key('["a"]')})`)).toEqual([]);
    expect(await ids(`x:=docs@sort(x)@after(${key('[null]')})`)).toEqual([{ x: ['a'] }]);
  });

  it('tells rows without a key apart by all their columns, JSON by its text (3.1)', async () => {
    await fixture.query(
      path.split('/').at(-1) ?? '',
      `do $$ begin
         create table "S".keyless (a int, doc json);
         insert into "S".keyless values (1, '{"x": 1}'), (1, '{"x": 1}'), (1, '{"x":1}'), (null, null), (null, null);
         perform _catalog.model_changed();
       end $$`,
    );
    await table('start', [{ name: 'a', type: 'int4' }]);
    await rows('alice', 'POST', 'entity/S:start', [{ a: 1 }, { a: 1 }, { a: 5 }]);
    expect(await rows('alice', 'GET', 'entity/S:keyless')).toHaveLength(5);
    const { text } = await send('alice', 'GET', 'entity/S:start/left(a)=(S:keyless:a)@sort(a)');
    expect(text.match(/\{.*\}/g)?.sort()).toEqual([
      '{"a":1,"doc":{"x": 1}}',
      '{"a":1,"doc":{"x":1}}',
      '{"a":null,"doc":null}',
    ]);
  });

  it('takes columns that are called like something in its own statements', async () => {
    const names = [
      ...'abcdefghijklmnopqrstuvwxyz',
      ...[
        't0',
        't1',
        'c0',
        'n0',
        'k0',
        'ord',
        'doc',
        'rid',
        'lo',
        'hi',
        'fresh',
        'new_rid',
        'old_rows',
        'instant',
        'stage',
        'row',
      ],
    ];
    await table(
      'namesakes',
      [{ name: 'id', type: 'int4', nullok: false }, ...names.map((name) => ({ name, type: 'text' }))],
      { keys: [{ unique_columns: ['id'] }] },
    );
    const row = (id: number): Row => ({ id, ...Object.fromEntries(names.map((name) => [name, `${name}${id}`])) });
    const url = 'S:namesakes';
    expect(await rows('alice', 'POST', `entity/${url}`, [row(1), row(2)])).toMatchObject([row(1), row(2)]);
    expect(await rows('alice', 'GET', `entity/A:=${url}/(id)=(${url}:id)/$A@sort(o,id)`)).toMatchObject([
      row(1),
      row(2),
    ]);
    const partners = await rows(
      'alice',
      'GET',
      `aggregate/A:=${url}/B:=left(o)=(${url}:t1)/x:=array(A:*),y:=array(B:*)`,
    );
    expect(partners).toMatchObject([{ x: expect.arrayContaining([expect.objectContaining(row(1))]), y: [null, null] }]);
    expect(await rows('alice', 'GET', `attributegroup/${url}/o,s;t0:=cnt(*),w:=array(w)@sort(o)`)).toEqual(
      [1, 2].map((id) => ({ o: `o${id}`, s: `s${id}`, t0: 1, w: [`w${id}`] })),
    );
    expect(await rows('alice', 'PUT', `entity/${url}`, [{ ...row(1), o: 'x' }, row(3)])).toMatchObject([
      { o: 'x' },
      row(3),
    ]);
    const change = [{ o: 'x', s: 's1', w: 'y', u: 'z' }];
    expect(await rows('alice', 'PUT', `attributegroup/${url}/o,s;w,u`, change)).toEqual(change);
    expect((await send('alice', 'DELETE', `attribute/${url}/id=2/o,t`)).status).toBe(204);
    expect((await send('alice', 'DELETE', `entity/A:=${url}/(id)=(${url}:id)/$A`)).status).toBe(204);
  });

  it('links by a list only when it names all columns of the constraint, however often (2.4)', async () => {
    const pair = ['a', 'b'].map((name) => ({ name, type: 'int4', nullok: false }));
    await table('whole', pair, { keys: [{ unique_columns: ['a', 'b'] }] });
    const columns = (table_name: string) =>
      ['a', 'b'].map((column_name) => ({ schema_name: 'S', table_name, column_name }));
    await table('part', pair, {
      foreign_keys: [{ foreign_key_columns: columns('part'), referenced_columns: columns('whole') }],
    });
    const status = async (list: string) => (await send('alice', 'GET', `entity/S:part/(${list})`)).status;
    expect(await status('b,a')).toBe(200);
    expect(await status('b,a,b')).toBe(200);
    expect(await status('a,a')).toBe(409);
    expect(await status('a')).toBe(409);
  });

  it('shows an entity once when two keys equal one value of a coarser type (3.1)', async () => {
    await table('fine', [{ name: 'k', type: 'numeric', nullok: false }], { keys: [{ unique_columns: ['k'] }] });
    await table('coarse', [{ name: 'v', type: 'float8' }]);
    await rows('alice', 'POST', 'entity/S:fine', [{ k: 1 }, { k: '1.00000000000000000001' }]);
    await rows('alice', 'POST', 'entity/S:coarse', [{ v: 1 }]);
    expect(await rows('alice', 'GET', 'attribute/A:=S:coarse/(v)=(S:fine:k)/$A/v')).toEqual([{ v: 1 }]);
  });

  it('tells entities apart by no key that is hidden in some rows (3.1)', async () => {
    const system = ['RID!', 'RCT!', 'RMT!', 'RCB', 'RMB'].map((name) => ({
      name: name.slice(0, 3),
      type: `ermrest_${name.slice(0, 3).toLowerCase()}`,
      nullok: !name.endsWith('!'),
    }));
    await table(
      'hidden',
      [...system, { name: 'id', type: 'int4', nullok: false }, { name: 'who', type: 'text' }],
      // the key of the service comes last, so that the other one is the first of the shortest
      { keys: [{ unique_columns: ['id'] }, { unique_columns: ['RID'] }] },
    );
    await table('joined', [{ name: 'x', type: 'text' }]);
    await rows(
      'alice',
      'POST',
      'entity/S:hidden',
      [1, 2, 3].map((id) => ({ id, who: id === 1 ? 'carol' : `w${id}` })),
    );
    await rows('alice', 'POST', 'entity/S:joined', [{ x: 'a' }, { x: 'b' }]);
    const column = 'schema/S/table/hidden/column/id';
    await rows('alice', 'PUT', `${column}/acl/select`, []);
    await rows('alice', 'PUT', `${column}/acl_binding/own`, {
      types: ['select'],
      projection: ['who'],
      scope_acl: ['*'],
    });
    expect(await rows('carol', 'GET', 'attribute/S:joined/(RCB)=(S:hidden:RCB)/id,who@sort(who)')).toEqual([
      { id: 1, who: 'carol' },
      { id: null, who: 'w2' },
      { id: null, who: 'w3' },
    ]);
  });

  it('knows no state of a RID that was never seen (6.5)', async () => {
    for (const [name, value] of [
      ['if-none-match', '*'],
      ['if-match', '*'],
      ['if-match', '"x"'],
    ] as const) {
      const answer = await fixture.request('alice', 'GET', `${path}/entity_rid/ZZZZ-ZZZY`, undefined, {
        [name]: value,
      });
      expect([name, answer.status]).toEqual([name, 404]);
    }
  });
});
