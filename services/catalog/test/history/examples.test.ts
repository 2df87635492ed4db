import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, type ClientName, startCatalog } from '../support/catalog-fixture.js';
import { member, type PastReader, pastReader } from './past-reader.js';

const capture = encodeURIComponent('tag:example.org,2020:history-capture');

/** The examples 48 to 73 of spec/catalog-access.md 13, in the order of the text: s0 creation … s5 column renamed. */
describe.each(['standard', 'deriva'] as const)('worked examples of history, profile %s', (profile) => {
  let fixture: CatalogFixture;
  let past: PastReader;
  const s: string[] = [];
  let between = '';
  let deleted = '';
  const rid = { S: '', H: '', id: '', v: '', RID: '', key: '' };

  beforeAll(async () => {
    fixture = await startCatalog({ profile });
    past = await pastReader(fixture);
    const first = (await past.done('GET', '/history/,')) as { readonly snaprange: readonly string[] };
    s.push(first.snaprange[0] ?? '');
    await past.done('POST', '/schema/S/table', {
      table_name: 'H',
      column_definitions: [
        { name: 'id', type: 'int4', nullok: false },
        { name: 'v', type: 'text' },
      ],
      keys: [{ unique_columns: ['id'] }],
    });
    await past.done('PUT', '/annotation', { original: true });
    s.push(await past.now());
    const rows = (await past.done('POST', '/entity/S:H', [
      { id: 1, v: 'one' },
      { id: 2, v: 'two' },
    ])) as readonly { readonly RID: string }[];
    deleted = rows[1]?.RID ?? '';
    s.push(await past.now());
    const [instant] = await past.sql(
      `select _catalog.encode_id(_catalog.micros(ts) + 1) as id from _catalog.snap order by ts desc limit 1`,
    );
    between = String(instant?.id);
    await past.done('PUT', '/attributegroup/S:H/id;v', [{ id: 1, v: 'ONE' }]);
    s.push(await past.now());
    await past.done('DELETE', '/entity/S:H/id=2');
    s.push(await past.now());
    rid.v = await past.rid('schema/S/table/H/column/v');
    await past.done('PUT', '/schema/S/table/H/column/v', { name: 'v2' });
    s.push(await past.now());
    rid.S = await past.rid('schema/S');
    rid.H = await past.rid('schema/S/table/H');
    rid.id = await past.rid('schema/S/table/H/column/id');
    rid.RID = await past.rid('schema/S/table/H/column/RID');
    rid.key = await past.rid('schema/S/table/H/key/id');
  });
  afterAll(() => fixture.close());

  const at = (index: number) => s[index] ?? '';
  const status = async (as: ClientName, method: string, rest: string, body?: unknown) =>
    (await past.send(method, rest, body, as)).status;
  const rows = (index: number, columns: string) => past.rows(at(index), `attribute/S:H/${columns}@sort(id)`);
  const old = [
    { id: 1, v: 'one' },
    { id: 2, v: 'two' },
  ];

  it('48: rows at three snapshots', async () => {
    expect(await rows(2, 'id,v')).toEqual(old);
    expect(await rows(3, 'id,v')).toEqual([
      { id: 1, v: 'ONE' },
      { id: 2, v: 'two' },
    ]);
    expect(await rows(4, 'id,v')).toEqual([{ id: 1, v: 'ONE' }]);
    expect(await past.rows(at(2), 'entity/S:H')).toHaveLength(2);
  });
  it('49: a new name of a column', async () => {
    expect(await status('alice', 'GET', `@${at(4)}/attribute/S:H/v2`)).toBe(409);
    expect(await status('alice', 'GET', `@${at(5)}/attribute/S:H/v2`)).toBe(200);
  });
  it('50: before the model', async () => {
    expect(await status('alice', 'GET', `@${at(0)}/entity/S:H`)).toBe(409);
    expect(await status('alice', 'GET', `@${at(0)}/schema/S`)).toBe(404);
  });
  it('51: between two snapshots', async () => {
    const answer = await past.send('GET', `@${between}`);
    expect([answer.status, answer.json]).toEqual([200, expect.objectContaining({ snaptime: at(2) })]);
  });
  it('52: before all, and no snapshot at all', async () => {
    expect(await status('alice', 'GET', '@2')).toBe(404);
    const data = await past.send('GET', '@2/entity/S:H');
    expect([data.status, data.text]).toEqual([
      409,
      expect.stringMatching(/Requested catalog revision \\?"2\\?" is prior to any known revision\./),
    ]);
    expect(await status('alice', 'GET', '@abcU')).toBe(400);
    expect(await status('alice', 'GET', '@abcU/entity/S:H')).toBe(400);
  });
  it('53: no change at a snapshot', async () => {
    expect(await status('alice', 'PUT', `@${at(2)}/attributegroup/S:H/id;v`, [{ id: 1, v: 'x' }])).toBe(403);
    expect(await status('anon', 'PUT', `@${at(2)}/attributegroup/S:H/id;v`, [{ id: 1, v: 'x' }])).toBe(401);
  });
  it('54, 55, 56: the range of history', async () => {
    const all = await past.send('GET', '/history/,');
    expect([all.status, all.json]).toEqual([200, { amendver: null, snaprange: [at(0), at(5)] }]);
    expect((await past.send('GET', `/history/${between},${at(4)}`)).json).toMatchObject({ snaprange: [at(3), at(4)] });
    expect((await past.send('GET', `/history/${at(3)},${at(4)}`)).json).toMatchObject({ snaprange: [at(3), at(4)] });
    expect(await status('alice', 'GET', `/history/${at(4)},${at(2)}`)).toBe(400);
  });
  it('what else a range can be', async () => {
    expect(await status('alice', 'GET', '/history/abcU,')).toBe(400);
    expect(await status('alice', 'GET', '/history/2')).toBe(400);
    expect(await status('alice', 'GET', '/history/,2')).toBe(404);
    expect(await status('alice', 'GET', `/history/${between},${between}`)).toBe(404);
    expect(await status('alice', 'GET', '/history')).toBe(404);
    expect(await status('alice', 'GET', '/history/,/bogus')).toBe(404);
    expect(await status('alice', 'POST', '/history/,')).toBe(405);
    expect(await status('alice', 'DELETE', '/history/,/acl')).toBe(405);
    expect(await status('alice', 'GET', `@${at(2)}/history/,`)).toBe(404);
    expect(await status('bob', 'GET', '/history/,')).toBe(200);
    expect(await status('bob', 'GET', '/history/,/acl')).toBe(403);
    expect(await status('alice', 'GET', `/history/,/acl/${rid.H}`)).toBe(200);
    expect(await status('alice', 'GET', '/history/,/attribute/NOPE')).toBe(404);
    expect(await status('alice', 'GET', `/history/,/attribute/${rid.v}/NOPE=1`)).toBe(404);
    expect(await status('alice', 'GET', `/history/,/attribute/${rid.v}/${rid.id}=1`)).toBe(200);
  });
  it('57: amendments are for owners', async () => {
    expect(await status('bob', 'PUT', `/history/${at(1)},${at(4)}/acl`, {})).toBe(403);
    expect(await status('anon', 'PUT', `/history/${at(1)},${at(4)}/acl`, {})).toBe(401);
  });
  it('58, 59: access lists of the past', async () => {
    const tag = (await past.send('GET', `@${at(2)}/entity/S:H`, undefined, 'carol')).headers.get('etag') ?? '';
    expect(await status('alice', 'PUT', `/history/${at(1)},${at(4)}/acl/${rid.H}`, { select: ['alice'] })).toBe(204);
    expect(await status('bob', 'GET', `@${at(2)}/entity/S:H`)).toBe(403);
    expect(await status('bob', 'GET', `@${at(4)}/entity/S:H`)).toBe(200);
    expect(await status('bob', 'GET', '/entity/S:H')).toBe(200);
    const again = await fixture.request('carol', 'GET', `${past.path}@${at(2)}/entity/S:H`, undefined, {
      'if-none-match': tag,
    });
    expect(again.status).toBe(403);
  });
  it('60: the amendment shows in the range it touched', async () => {
    expect((await past.send('GET', `/history/${at(1)},${at(4)}`)).json).toMatchObject({ amendver: expect.any(String) });
    expect((await past.send('GET', `/history/${at(5)},`)).json).toMatchObject({ amendver: null });
    expect((await past.send('GET', `/history/,${at(0)}`)).json).toMatchObject({ amendver: null });
    expect(await past.now()).toBe(at(5));
  });
  it('61, 62: what cannot be amended', async () => {
    const put = (rest: string, body: unknown) => status('alice', 'PUT', `/history/${at(1)},${at(4)}/${rest}`, body);
    expect(await put('acl', { bogus: [] })).toBe(409);
    expect(await put('acl', { select: 'x' })).toBe(400);
    expect(await put('acl', [])).toBe(400);
    expect(await put(`acl/${rid.key}`, {})).toBe(409);
    expect(await put('acl/NOPE', {})).toBe(404);
    expect(await put('acl', '{')).toBe(400);
  });
  it('63: annotations of the past', async () => {
    expect(await status('alice', 'PUT', `/history/${at(1)},${at(4)}/annotation`, { k: 1 })).toBe(204);
    expect(await past.done('GET', `@${at(2)}/annotation`)).toEqual({ k: 1 });
    expect(await past.done('GET', `@${at(4)}/annotation`)).toMatchObject({ original: true });
    expect(await past.done('GET', `@${at(0)}/annotation`)).not.toHaveProperty('k');
    expect(await past.done('GET', '/annotation')).toMatchObject({ original: true });
  });
  it('64: whether history was captured stays', async () => {
    const body = { 'tag:example.org,2020:history-capture': false };
    expect(await status('alice', 'PUT', `/history/${at(1)},${at(4)}/annotation/${rid.H}`, body)).toBe(400);
  });
  it('65: what has no bindings', async () => {
    for (const element of [rid.S, rid.key])
      expect(await status('alice', 'PUT', `/history/${at(1)},${at(4)}/acl_binding/${element}`, {})).toBe(409);
    expect(await status('alice', 'PUT', `/history/${at(1)},${at(4)}/acl_binding`, {})).toBe(404);
  });
  it('66: values are erased from versions that died, and from no other', async () => {
    const target = `/history/${at(1)},${at(4)}/attribute/${rid.v}/${rid.id}=1`;
    expect(await status('bob', 'DELETE', target)).toBe(403);
    expect(await status('alice', 'DELETE', target)).toBe(204);
    expect(await rows(2, 'id,v')).toEqual([{ id: 1, v: null }, old[1]]);
    expect(await rows(3, 'id,v')).toEqual([{ id: 1, v: 'ONE' }, old[1]]);
  });
  it('67: columns that hold history together', async () => {
    expect(await status('alice', 'DELETE', `/history/${at(1)},${at(4)}/attribute/${rid.RID}`)).toBe(409);
    expect(await status('alice', 'DELETE', `/history/${at(1)},${at(4)}/attribute/${rid.H}`)).toBe(404);
  });
  it('72, 73: a row that is gone', async () => {
    const { json } = await past.send('GET', `/entity_rid/${deleted}`);
    expect(json).toMatchObject({ RID: deleted, schema_name: 'S', table_name: 'H', last_visible_snaptime: at(3) });
    const [time] = await past.sql(
      `select to_char(_catalog.at_micros(_catalog.decode_id($1)), 'YYYY-MM-DD HH24:MI:SS.US+00:00') as text`,
      [at(4)],
    );
    expect(member(json, 'deleted_at')).toBe(time?.text);
    const before = await past.send('GET', `@${at(3)}/entity_rid/${deleted}`);
    expect([before.status, before.json]).toEqual([200, { RID: deleted, schema_name: 'S', table_name: 'H' }]);
  });
  it('68, 69: history is cut at a snapshot', async () => {
    expect(await status('bob', 'DELETE', `/history/,${at(3)}`)).toBe(403);
    expect(await status('alice', 'DELETE', `/history/,${at(3)}`)).toBe(204);
    expect(await status('alice', 'GET', `@${at(2)}/entity/S:H`)).toBe(409);
    expect(await status('alice', 'GET', `@${at(2)}/schema`)).toBe(404);
    expect(await rows(3, 'id')).toEqual([{ id: 1 }, { id: 2 }]);
    expect((await past.send('GET', '/history/,')).json).toEqual({
      amendver: expect.any(String),
      snaprange: [at(3), at(5)],
    });
    expect(await past.now()).toBe(at(5));
    expect(await status('alice', 'DELETE', `/history/,${at(3)}`)).toBe(404);
  });
  it('70: what cannot be cut', async () => {
    expect(await status('alice', 'DELETE', `/history/${at(1)},${at(3)}`)).toBe(400);
    expect(await status('alice', 'DELETE', '/history/,')).toBe(400);
    expect(await status('alice', 'DELETE', '/history/,2')).toBe(404);
  });
  it('71: capture switched off and on', async () => {
    await past.done('PUT', `/schema/S/table/H/annotation/${capture}`, false);
    const off = await past.now();
    await past.done('PUT', '/attributegroup/S:H/id;v2', [{ id: 1, v2: 'unseen' }]);
    const hidden = await past.now();
    await past.done('PUT', `/schema/S/table/H/annotation/${capture}`, true);
    const on = await past.now();
    for (const snapshot of [off, hidden]) {
      expect(await status('alice', 'GET', `@${snapshot}/schema/S/table/H`)).toBe(404);
      expect(await status('alice', 'GET', `@${snapshot}/entity/S:H`)).toBe(409);
    }
    expect(await past.rows(at(5), 'attribute/S:H/v2')).toEqual([{ v2: 'ONE' }]);
    expect(await past.rows(on, 'attribute/S:H/v2')).toEqual([{ v2: 'unseen' }]);
  });
  it('row 12 of what clients rely on: the end of every clone', async () => {
    expect(await status('alice', 'DELETE', `/history/,${await past.now()}`)).toBe(204);
    expect((await past.send('GET', '/history/,')).json).toMatchObject({
      snaprange: [await past.now(), await past.now()],
    });
    expect(await status('alice', 'GET', '/entity/S:H')).toBe(200);
    expect(await status('alice', 'GET', `@${await past.now()}/entity/S:H`)).toBe(200);
  });
});
