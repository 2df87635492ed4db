import { describe, expect, it } from '@jest/globals';
import { at, items, text } from './documents.js';
import { expectConflict, expectError } from './expect-error.js';
import type { Story } from './story.js';

const species = `species,name,kind
lit-lit,common periwinkle,animal
ast-gib,cushion star,animal
fuc-ser,toothed wrack,alga
`;
const visits = `pool,date,temperature,surveyors
kettle,2025-06-14,17.2,"[""Mairi"",""Jun""]"
ledge,2025-06-14,,{Tom}
`;
const observations = `remark,pool,date,species,count
,kettle,2025-06-14,lit-lit,12
"one, under the ledge",kettle,2025-06-14,ast-gib,1
,ledge,2025-06-14,lit-lit,30
"",ledge,2025-06-14,fuc-ser,
`;

/** Rows go in and come out. */
export function describeData(story: () => Story): void {
  describe('rows', () => {
    it('come in as CSV and are answered as stored', async () => {
      const { server, catalog } = story();
      const { client } = server;
      for (const [table, csv] of [
        ['species', species],
        ['visit', visits],
      ] as const) {
        const created = await client.call('POST', `${catalog}/entity/shore:${table}`, { csv });
        expect(created.status).toBe(200);
        expect(created.headers['content-type']).toBe('text/csv');
        expect(created.text.trimEnd().split('\n')).toHaveLength(csv.trimEnd().split('\n').length);
        expect(created.text).toMatch(/^RID,RCT,RMT,RCB,RMB,/);
      }
      const created = await client.call('POST', `${catalog}/entity/shore:observation`, {
        csv: observations,
        headers: { accept: 'application/json' },
      });
      expect(created.headers['content-type']).toBe('application/json');
      const rows = items(created.json());
      // input order; an empty cell is NULL, empty quotes are an empty text
      expect(rows.map((row) => [at(row, 'species'), at(row, 'count'), at(row, 'remark')])).toEqual([
        ['lit-lit', 12, null],
        ['ast-gib', 1, 'one, under the ledge'],
        ['lit-lit', 30, null],
        ['fuc-ser', null, ''],
      ]);
      expect(new Set(rows.map((row) => at(row, 'RID'))).size).toBe(4);
      for (const row of rows) expect(row).toMatchObject({ RCB: 'alice', RMB: 'alice', RCT: at(rows[0], 'RMT') });
    });

    it('are refused when they break the model, and nothing of them stays', async () => {
      const { server, catalog } = story();
      const { client, wire } = server;
      const post = (csv: string, query = '') =>
        client.call('POST', `${catalog}/entity/shore:observation${query}`, { csv });
      const head = 'pool,date,species,count,remark\n';
      const orphan = `${head}kettle,2025-06-14,fuc-ser,,\nkettle,1999-01-01,lit-lit,1,\n`;
      expectConflict(await post(orphan), wire, 'violates foreign key constraint');
      const taken = await post(`${head}kettle,2025-06-14,lit-lit,5,\n`);
      expectConflict(taken, wire, 'violates unique constraint "observation_pool_date_species_key"');
      expectConflict(taken, wire, `${wire.inputViolation}duplicate key value`);
      expectConflict(taken, wire, 'Key (pool, date, species)=(kettle, 2025-06-14, lit-lit) already exists.');
      expectError(await post(`${head}kettle,2025-06-14,fuc-ser,1,\nkettle,2025-06-14,fuc-ser,2,\n`), wire, 400);
      expectError(await post(`${head}kettle,2025-06-14,fuc-ser,many,\n`), wire, 400, 'many');
      expectError(await post(`${head}kettle,2025-06-14,fuc-ser\n`), wire, 400);
      expectError(await post('pool,date,species\n'), wire, 400);
      expectConflict(await post(`${head.trimEnd()},depth\n`), wire, 'depth');
      expectConflict(await post(`${head}kettle,2025-06-14,,1,\n`), wire, 'violates not-null constraint');
      const xml = { body: '<a/>', headers: { 'content-type': 'application/xml' } };
      expect((await client.call('POST', `${catalog}/entity/shore:observation`, xml)).status).toBe(415);
      const left = await client.call('GET', `${catalog}/aggregate/shore:observation/n:=cnt(*)`);
      expect(left.json()).toEqual([{ n: 4 }]);
    });

    it('that are there already are left out with onconflict=skip', async () => {
      const { server, catalog } = story();
      const csv = 'species,name,kind\nlit-lit,another name,animal\ncar-mae,shore crab,animal\n';
      const answer = await server.client.call('POST', `${catalog}/entity/shore:species?onconflict=skip`, { csv });
      expect(answer.status).toBe(200);
      expect(answer.text.trimEnd().split('\n').slice(1)).toEqual([expect.stringMatching(/car-mae,shore crab,animal$/)]);
      const kept = await server.client.call('GET', `${catalog}/attribute/shore:species/species=lit-lit/name`);
      expect(kept.json()).toEqual([{ name: 'common periwinkle' }]);
    });

    it('are read at the snapshot that the catalog names as its own', async () => {
      const { server, catalog } = story();
      const snapshot = text(at((await server.client.call('GET', catalog)).json(), 'snaptime'));
      const path = '/aggregate/shore:species/n:=cnt(*)';
      const pinned = await server.client.call('GET', `${catalog}@${snapshot}${path}`);
      expect(pinned.json()).toEqual([{ n: 4 }]);
      const change = await server.client.call('DELETE', `${catalog}@${snapshot}/entity/shore:species/species=lit-lit`);
      expectError(change, server.wire, 403);
    });

    it('are written by those who may, and seen by those who may', async () => {
      const { server, catalog } = story();
      const { client, wire } = server;
      const path = `${catalog}/entity/shore:species`;
      const row = [{ species: 'x', name: 'x', kind: 'x' }];
      expectError(await client.call('GET', path, { as: 'carol' }), wire, 403);
      expectError(await client.call('GET', path, { as: null }), wire, 401);
      const acls = { owner: ['alice'], enumerate: ['carol'], select: ['carol'] };
      const put = await client.call('PUT', `${catalog}/acl`, { json: acls });
      expect(put.status).toBe(wire.aclPut);
      if (wire.aclPut === 200) expect(put.json()).toMatchObject(acls);
      else expect(put.text).toBe('');
      expect((await client.call('GET', path, { as: 'carol' })).status).toBe(200);
      expectError(await client.call('POST', path, { as: 'carol', json: row }), wire, 403);
      expectError(await client.call('POST', path, { as: null, json: row }), wire, 401);
      expectError(await client.call('GET', path, { as: 'bob' }), wire, 403);
    });
  });

  describe('a question', () => {
    const join = '/V:=shore:visit/$O/S:=shore:species/kind=animal';
    const path =
      `/attributegroup/O:=shore:observation${join}/name:=S:name;pools:=cnt(*),total:=sum(O:count),warmest:=max(V:temperature)` +
      '@sort(total::desc::)';
    const answer = [
      { name: 'common periwinkle', pools: 2, total: 42, warmest: 17.2 },
      { name: 'cushion star', pools: 1, total: 1, warmest: 17.2 },
    ];

    it('joins, filters, groups and sorts', async () => {
      const { server, catalog } = story();
      const asked = await server.client.call('GET', `${catalog}${path}`, { headers: { accept: '*/*' } });
      expect(asked.status).toBe(200);
      expect(asked.headers['content-type']).toBe('application/json');
      expect(asked.json()).toEqual(answer);
      const first = await server.client.call('GET', `${catalog}${path}?limit=1`);
      expect(first.json()).toEqual(answer.slice(0, 1));
    });

    it('is answered as CSV and as a stream of JSON, too', async () => {
      const { server, catalog } = story();
      const ask = (accept: string) => server.client.call('GET', `${catalog}${path}`, { headers: { accept } });
      const csv = await ask('text/csv');
      expect(csv.headers['content-type']).toBe('text/csv');
      expect(csv.text).toBe('name,pools,total,warmest\ncommon periwinkle,2,42,17.2\ncushion star,1,1,17.2\n');
      const stream = await ask('application/x-json-stream');
      expect(stream.headers['content-type']).toBe('application/x-json-stream');
      expect(
        stream.text
          .trimEnd()
          .split('\n')
          .map((line): unknown => JSON.parse(line)),
      ).toEqual(answer);
    });

    it('has an answer that can be kept until the catalog changes', async () => {
      const { server, catalog } = story();
      const { client, wire } = server;
      const get = (headers: Readonly<Record<string, string>>) => client.call('GET', `${catalog}${path}`, { headers });
      const { etag = '' } = (await get({})).headers;
      expect((await get({ 'if-none-match': etag })).status).toBe(304);
      expect((await get({ 'if-match': '"other"' })).status).toBe(wire.failedIfMatchOnRead);
      const body = { json: [{ species: 'pat-vul', name: 'common limpet', kind: 'animal' }] };
      const headers = { 'if-match': '"other"' };
      expect((await client.call('POST', `${catalog}/entity/shore:species`, { ...body, headers })).status).toBe(412);
      expect((await client.call('POST', `${catalog}/entity/shore:species`, body)).status).toBe(200);
      const later = await get({ 'if-none-match': etag });
      expect(later.status).toBe(200);
      expect(later.headers.etag).not.toBe(etag);
    });

    it('that is wrong is told so', async () => {
      const { server, catalog } = story();
      const { client, wire } = server;
      expectConflict(await client.call('GET', `${catalog}/entity/shore:nowhere`), wire, 'nowhere');
      expectConflict(await client.call('GET', `${catalog}/attribute/shore:species/colour`), wire, 'colour');
      expectError(await client.call('GET', `${catalog}/entity/shore:species/kind=(1,2)`), wire, 400);
      expectError(await client.call('GET', `${catalog}/entity/shore:observation/count=many`), wire, 400);
      expectError(await client.call('GET', `${catalog}/nothing/shore:species`), wire, 404);
    });
  });
}
