import { expect } from '@jest/globals';
import { json } from '../support/zoo.js';
import { del, example, get, partOf, post, type Section, type Step, story } from './example.js';
import { column, done, type Expectation, ids, refused, rows, status } from './expectations.js';
import { rowsOf } from './raw-client.js';

/** spec/catalog-data.md 11.7, DELETE */
export const deletions: Section = {
  title: '11.7 mutations: DELETE',
  examples: [
    example(
      198,
      del('entity/zoo:transfer/day::lt::2017-01-01', done),
      get('attribute/zoo:transfer/id@sort(id)', ids(2, 3)),
    ),
    example(199, del('entity/zoo:transfer/id=99', refused(404, 'entities matching request path'))),
    example(
      200,
      del(
        'entity/zoo:enclosure/id=1',
        refused(409, 'update or delete on table "enclosure"', 'is still referenced from table'),
      ),
    ),
    example(
      201,
      del('entity/zoo:animal/name=Cleo/zoo:transfer', done),
      get('attribute/zoo:transfer/id@sort(id)', ids(1, 3)),
      get('attribute/zoo:animal/id@sort(id)', ids(1, 2, 3, 4, 5)),
    ),
    example(202, del('entity/E:=zoo:enclosure/(zoo:transfer:to_id)/id=3/$E', refused(409))),
    example(
      203,
      del('attribute/zoo:animal/id=1/weight,born', done),
      get('attribute/zoo:animal/id=1/name,weight,born', rows({ name: 'Asha', weight: null, born: null })),
    ),
    example(
      204,
      post('entity/zoo:bare', json([{ value: 'v' }]), status(200)),
      del('attribute/zoo:bare/value', done),
      get('attribute/zoo:bare/value', column('value', 'none')),
    ),
    example(205, del('attribute/zoo:animal/id=1/id', refused(409))),
    example(206, delEach(refused(403), 'attribute/zoo:animal/id=1/', 'RMT', 'RID')),
    example(207, del('attribute/A:=zoo:animal/id=1/A:weight', refused(409))),
    example(208, del('attribute/zoo:enclosure/id=3/name', refused(409))),
    example(
      209,
      delEach(refused(400), 'entity/zoo:transfer', '?limit=1', '@sort(id)'),
      get('attribute/zoo:transfer/id@sort(id)', ids(1, 2, 3)),
    ),
  ],
};

/** spec/catalog-data.md 11.8, DELETE */
export const moreDeletions: Section = {
  title: '11.8 further constructs: DELETE',
  examples: [
    story(285, 'DELETE of nothing', async (zoo) => {
      for (const target of ['entity/zoo:bare', 'entity/zoo:animal/id=99', 'attribute/zoo:animal/id=99/name']) {
        const answer = await zoo.send('DELETE', target);
        expect(answer.status).toBe(404);
        expect(answer.headers.etag).toBeUndefined();
        expect((await zoo.send('DELETE', target, { headers: { 'if-match': '"x"' } })).status).toBe(412);
      }
    }),
    story(286, 'DELETE that is refused', async (zoo) => {
      expect((await zoo.send('DELETE', 'entity/zoo:animal/id=x')).status).toBe(400);
      expect((await zoo.send('DELETE', 'entity/nosuch')).status).toBe(409);
      for (const right of ['enumerate', 'select']) await zoo.send('PUT', `acl/${right}`, { body: json(['*']) });
      const seen = await zoo.send('GET', 'attribute/zoo:transfer/id@sort(id)', { as: 'anonymous' });
      expect(rowsOf(seen)).toStrictEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
      expect((await zoo.send('DELETE', 'entity/zoo:transfer', { as: 'anonymous' })).status).toBe(401);
    }),
    partOf(286, 'view', del('entity/zoo:heavy', refused(409))),
    example(
      287,
      delEach(done, 'attribute/zoo:animal/id=1/', 'x:=weight', 'weight,weight'),
      get('attribute/zoo:animal/id=1/weight', column('weight', null)),
      del('attribute/zoo:animal/id=1/bin(weight;1;0;2)', refused(400)),
      del('attribute/zoo:animal/id=1/nosuch', refused(409)),
      del('attribute/zoo:animal/id=1/*', refused(403)),
    ),
    story(288, 'a linked entity alone is changed', async (zoo) => {
      const rest = 'entity/zoo:animal/!id=1@sort(id)';
      const before = await zoo.send('GET', rest);
      expect((await zoo.send('DELETE', 'attribute/zoo:enclosure/zoo:animal/id=1/born')).status).toBe(204);
      expect((await zoo.send('GET', rest)).text).toBe(before.text);
      expect(rowsOf(await zoo.send('GET', 'attribute/zoo:animal/id=1/id,born'))).toStrictEqual([{ id: 1, born: null }]);
    }),
  ],
};

function delEach(expected: Expectation, prefix: string, ...rests: readonly string[]): readonly Step[] {
  return rests.map((rest) => del(`${prefix}${rest}`, expected));
}
