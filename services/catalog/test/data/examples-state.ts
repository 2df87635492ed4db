import { expect } from '@jest/globals';
import { json, type SendOptions, type Zoo } from '../support/zoo.js';
import { get, partOf, type Section, story } from './example.js';
import { onlyRow, refused, rows, rowsThat } from './expectations.js';
import { type Answer, jsonOf, rowsOf, textMember } from './raw-client.js';

const newEnclosure = json([{ id: 4, name: 'New' }]);

/** spec/catalog-data.md 11.7, revisions, preconditions, entity resolution */
export const state: Section = {
  title: '11.7 revisions, preconditions, entity resolution',
  examples: [
    story(210, 'mutations at a revision', async (zoo) => {
      const revision = await snaptime(zoo);
      const tries: readonly (readonly [string, string, SendOptions])[] = [
        ['POST', 'entity/zoo:enclosure', { body: newEnclosure }],
        ['PUT', 'entity/zoo:enclosure', { body: newEnclosure }],
        ['PUT', 'attributegroup/zoo:animal/id;weight', { body: json([]) }],
        ['DELETE', 'entity/zoo:transfer', {}],
        ['DELETE', 'attribute/zoo:animal/weight', {}],
      ];
      for (const [method, target, options] of tries) {
        expect((await zoo.send(method, `@${revision}/${target}`, options)).status).toBe(403);
        expect((await zoo.send(method, `@${revision}/${target}`, { ...options, as: 'anonymous' })).status).toBe(401);
      }
    }),
    story(211, 'preconditions that do not hold on PUT', async (zoo) => {
      const { etag = '' } = (await zoo.send('GET', 'entity/zoo:enclosure')).headers;
      expect((await putEnclosure(zoo, { 'if-match': '"stale"' })).status).toBe(412);
      expect((await putEnclosure(zoo, { 'if-none-match': etag })).status).toBe(412);
      expect(rowsOf(await zoo.send('GET', 'entity/zoo:enclosure'))).toHaveLength(3);
    }),
    story(212, 'the tag of a PUT is the tag of the state it made', async (zoo) => {
      const { etag = '' } = (await zoo.send('GET', 'entity/zoo:enclosure')).headers;
      const answer = await putEnclosure(zoo, { 'if-match': etag });
      expect(answer.status).toBe(200);
      expect(answer.headers.etag).not.toBe(etag);
      expect(answer.headers.etag).toBe((await zoo.send('GET', 'entity/zoo:enclosure')).headers.etag);
    }),
    story(213, 'a row by its RID', async (zoo) => {
      const RID = zoo.rid('animal', 1);
      const answer = await zoo.send('GET', `entity_rid/${RID}`);
      expect(answer.status).toBe(200);
      expect(jsonOf(answer)).toStrictEqual({ RID, schema_name: 'zoo', table_name: 'animal' });
    }),
    story(214, 'a deleted row by its RID', async (zoo) => {
      const RID = zoo.rid('transfer', 1);
      expect((await zoo.send('DELETE', 'entity/zoo:transfer/id=1')).status).toBe(204);
      const answer = await zoo.send('GET', `entity_rid/${RID}`);
      expect(answer.status).toBe(200);
      const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00:00$/);
      expect(jsonOf(answer)).toStrictEqual({
        RID,
        schema_name: 'zoo',
        table_name: 'transfer',
        deleted_at: isoDate,
        last_visible_at: isoDate,
        last_visible_snaptime: expect.any(String),
      });
      const lastSeen = textMember(jsonOf(answer), 'last_visible_snaptime');
      const then = await zoo.send('GET', `@${lastSeen}/entity/zoo:transfer/RID=${RID}`);
      expect(onlyRow(rowsOf(then))).toMatchObject({ RID, id: 1, animal_id: 1, from_id: 2, to_id: 1 });
    }),
    story(215, 'RIDs that belong to no row', async (zoo) => {
      expect((await zoo.send('GET', 'entity_rid/ZZZZ-ZZZY')).status).toBe(404);
      const table = textMember(jsonOf(await zoo.send('GET', 'schema/zoo/table/animal')), 'RID');
      expect((await zoo.send('GET', `entity_rid/${table}`)).status).toBe(404);
    }),
  ],
};

/** spec/catalog-data.md 11.8, tags, methods, entity resolution, revisions */
export const moreState: Section = {
  title: '11.8 further tags, methods, revisions',
  examples: [
    story(289, 'the tag of a mutation is that of a GET', async (zoo) => {
      const same = async (method: string, target: string, options: SendOptions) => {
        const answer = await zoo.send(method, target, options);
        expect(answer.status).toBeLessThan(300);
        expect(answer.headers.etag).toMatch(/^"/);
        expect(answer.headers.etag).toBe((await zoo.send('GET', target)).headers.etag);
      };
      await same('POST', 'entity/zoo:enclosure', { body: newEnclosure });
      await same('PUT', 'entity/zoo:enclosure', { body: json([{ id: 4, name: 'Newer' }]) });
      await same('DELETE', 'entity/zoo:enclosure/id=4', {});
      const gone = await zoo.send('DELETE', 'entity/zoo:enclosure/id=4');
      expect([gone.status, gone.headers.etag]).toStrictEqual([404, undefined]);
      const taken = await zoo.send('POST', 'entity/zoo:enclosure', { body: json([{ id: 1, name: 'x' }]) });
      expect([taken.status, taken.headers.etag]).toStrictEqual([409, undefined]);
    }),
    story(290, 'spellings of a tag', async (zoo) => {
      const { etag = '' } = (await zoo.send('GET', 'entity/zoo:animal')).headers;
      const bare = etag.slice(1, -1);
      const ask = async (value: string) =>
        (await zoo.send('GET', 'entity/zoo:animal', { headers: { 'if-none-match': value } })).status;
      expect(await ask(`W/${etag}`)).toBe(304);
      expect(await ask(`"${bare}-gzip"`)).toBe(304);
      expect(await ask(`"x", ${etag}, "y"`)).toBe(304);
      expect(await ask(bare)).toBe(200);
    }),
    story(291, 'methods', async (zoo) => {
      const options = await zoo.send('OPTIONS', 'entity/zoo:animal');
      // 1.5 leaves 204 open
      expect([200, 204]).toContain(options.status);
      const patch = await zoo.send('PATCH', 'entity/zoo:animal', { body: json([]) });
      expect(patch.status).toBe(405);
      for (const answer of [options, patch]) {
        const allowed = (answer.headers.allow ?? '').split(/, */);
        expect(allowed).toStrictEqual(expect.arrayContaining(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']));
      }
    }),
    story(292, 'spellings of a RID', async (zoo) => {
      const RID = zoo.rid('animal', 1);
      const found = await zoo.send('GET', `entity_rid/${RID.toLowerCase().replaceAll('-', '')}`);
      expect(found.status).toBe(200);
      expect(jsonOf(found)).toMatchObject({ RID });
      for (const rest of ['UUU', '', 'a/b']) {
        expect((await zoo.send('GET', `entity_rid/${rest}`)).status).toBe(404);
      }
    }),
    story(293, 'a RID after its row was deleted', async (zoo) => {
      const target = `entity_rid/${zoo.rid('transfer', 1)}`;
      const { etag = '' } = (await zoo.send('GET', target)).headers;
      expect((await zoo.send('DELETE', 'entity/zoo:transfer/id=1')).status).toBe(204);
      const answer = await zoo.send('GET', target, { headers: { 'if-none-match': etag } });
      expect(answer.status).toBe(200);
      expect(jsonOf(answer)).toMatchObject({ deleted_at: expect.any(String) });
    }),
    partOf(
      294,
      'revisions that are none',
      get('@UUU/entity/zoo:bare', refused(400)),
      get('@/entity/zoo:bare', refused(400)),
    ),
    partOf(
      294,
      'revisions before and after the history',
      get('@2/entity/zoo:bare', refused(409, 'Requested catalog revision "2" is prior to any known revision.')),
      get('@ZZZ-ZZZZ-ZZZZ/entity/zoo:bare', rows()),
      get(
        '@ZZZ-ZZZZ-ZZZZ/attribute/zoo:animal/id@sort(id)',
        rowsThat((found) => expect(found).toHaveLength(5)),
      ),
    ),
  ],
};

async function snaptime(zoo: Zoo): Promise<string> {
  return textMember(jsonOf(await zoo.send('GET', zoo.path)), 'snaptime');
}

function putEnclosure(zoo: Zoo, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return zoo.send('PUT', 'entity/zoo:enclosure', { body: newEnclosure, headers });
}
