import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { type PastReader, pastReader } from './past-reader.js';

/** spec/catalog-access.md 10.7 */
describe('a row by its RID, when it is gone', () => {
  let fixture: CatalogFixture;
  let past: PastReader;
  let rid: string;

  beforeAll(async () => {
    fixture = await startCatalog();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    past = await pastReader(fixture);
    await past.done('POST', '/schema/S/table', { table_name: 't', column_definitions: [{ name: 'v', type: 'text' }] });
    const [row] = (await past.done('POST', '/entity/S:t', [{ v: 'one' }])) as readonly { readonly RID: string }[];
    rid = row?.RID ?? '';
  });

  const ask = (at = '', as: 'alice' | 'bob' = 'alice') => past.send('GET', `${at}/entity_rid/${rid}`, undefined, as);
  const timeOf = async (snapshot: string) => {
    const [row] = await past.sql(
      `select to_char(_catalog.at_micros(_catalog.decode_id($1)), 'YYYY-MM-DD HH24:MI:SS.US+00:00') as time`,
      [snapshot],
    );
    return row?.time;
  };

  it('tells when it was removed, and where it was seen last, also from a snapshot after that', async () => {
    const seen = await past.now();
    await past.done('DELETE', `/entity/S:t/RID=${rid}`);
    const removed = await past.now();
    await past.done('PUT', '/schema/S/table/t', { table_name: 'renamed' });
    const gone = {
      RID: rid,
      schema_name: 'S',
      table_name: 't',
      deleted_at: await timeOf(removed),
      last_visible_at: await timeOf(seen),
      last_visible_snaptime: seen,
    };
    expect((await ask()).json).toEqual(gone);
    expect((await ask(`@${removed}`)).json).toEqual(gone);
    expect((await ask(`@${seen}`)).json).toEqual({ RID: rid, schema_name: 'S', table_name: 't' });
    expect(await past.rows(seen, `attribute/S:t/RID=${rid}/v`)).toEqual([{ v: 'one' }]);
  });

  it('is not gone because it was changed, and is unknown before it was made', async () => {
    const [before] = await past.sql(
      `select _catalog.encode_id(_catalog.micros(ts)) as id from _catalog.snap order by ts desc offset 1 limit 1`,
    );
    await past.done('PUT', '/attributegroup/S:t/RID;v', [{ RID: rid, v: 'two' }]);
    expect((await ask()).json).toEqual({ RID: rid, schema_name: 'S', table_name: 't' });
    expect((await ask(`@${String(before?.id)}`)).status).toBe(404);
  });

  it('counts as removed when its table is dropped or no longer captured', async () => {
    const seen = await past.now();
    await past.done(
      'PUT',
      `/schema/S/table/t/annotation/${encodeURIComponent('tag:x.org,2020:history-capture')}`,
      false,
    );
    const off = await past.now();
    expect((await ask()).json).not.toHaveProperty('deleted_at');
    expect((await ask(`@${off}`)).json).toMatchObject({ deleted_at: await timeOf(off), last_visible_snaptime: seen });
    await past.done('DELETE', '/schema/S/table/t');
    expect((await ask()).json).toMatchObject({ table_name: 't', last_visible_snaptime: seen });
  });

  it('is unknown when the history of its table was dropped, at later snapshots, too', async () => {
    await past.done('DELETE', '/schema/S/table/t');
    await past.done('POST', '/schema/S/table', { table_name: 'u', column_definitions: [{ name: 'v', type: 'text' }] });
    await past.done('POST', '/entity/S:u', [{ v: 'x' }]);
    const cut = await past.now();
    await past.done('POST', '/schema/Later');
    const later = await past.now();
    expect((await ask(`@${later}`)).json).toMatchObject({ RID: rid, table_name: 't' });
    await past.done('DELETE', `/history/,${cut}`);
    expect((await ask(`@${later}`)).status).toBe(404);
    expect((await ask(`@${cut}`)).status).toBe(404);
  });

  it('prefers the table in which it lives, else the one from which it was removed last', async () => {
    await past.done('POST', '/schema/S/table', { table_name: 'u', column_definitions: [{ name: 'v', type: 'text' }] });
    await past.done('POST', '/entity/S:u?nondefaults=RID', [{ RID: rid, v: 'other' }]);
    await past.done('DELETE', `/entity/S:t/RID=${rid}`);
    expect((await ask()).json).toEqual({ RID: rid, schema_name: 'S', table_name: 'u' });
    await past.done('DELETE', `/entity/S:u/RID=${rid}`);
    expect((await ask()).json).toMatchObject({ table_name: 'u', deleted_at: expect.any(String) });
  });

  it('is unknown to who could not see it then, whatever may be seen now', async () => {
    await past.done('PUT', '/schema/S/table/t/acl', { select: ['alice'] });
    await past.done('DELETE', `/entity/S:t/RID=${rid}`);
    await past.done('PUT', '/schema/S/table/t/acl', {});
    expect((await ask('', 'bob')).status).toBe(404);
    expect((await ask('', 'alice')).status).toBe(200);
  });

  it('is unknown, not removed, to who may not see it while it lives', async () => {
    await past.done('PUT', '/attributegroup/S:t/RID;v', [{ RID: rid, v: 'two' }]);
    await past.done('PUT', '/schema/S/table/t/acl', { select: ['alice'] });
    expect((await ask('', 'bob')).status).toBe(404);
  });

  it('has another tag when it is gone', async () => {
    const tag = (await ask()).headers.get('etag') ?? '';
    await past.done('DELETE', '/entity/S:t');
    const again = await fixture.request('alice', 'GET', `${past.path}/entity_rid/${rid}`, undefined, {
      'if-none-match': tag,
    });
    expect(again.status).toBe(200);
  });
});
