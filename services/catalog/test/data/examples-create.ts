import { wireProfile } from '@holdfast/http-kit';
import { expect } from '@jest/globals';
import { type Body, csvBody, json, rawBody } from '../support/zoo.js';
import { example, get, post, postEach, type Section, story } from './example.js';
import { anySystem, column, ids, idsInOrder, ok, onlyRow, refused, rows, rowsThat, violated } from './expectations.js';
import { grant } from './grants.js';
import { rowsOf } from './raw-client.js';

const mayInsert = { acl: ['enumerate', 'insert'] };
const speciesHeader = 'id,code,name,legs,tags,info';

/** spec/catalog-data.md 11.7, POST */
export const creations: Section = {
  title: '11.7 mutations: POST',
  examples: [
    example(
      156,
      post(
        'entity/zoo:species',
        json([{ id: 5, code: 'OWL', legs: 2 }]),
        rowsThat((found) => {
          const row = onlyRow(found);
          expect(row).toStrictEqual({ ...anySystem, id: 5, code: 'OWL', name: null, legs: 2, tags: null, info: null });
          expect(row).toMatchObject({ RCB: 'alice', RMB: 'alice', RMT: row.RCT });
        }),
      ),
      get('attribute/zoo:species/id=5/id,code', rows({ id: 5, code: 'OWL' })),
    ),
    example(
      157,
      post(
        'entity/zoo:species',
        json([{ id: 1, code: 'ZZZ' }]),
        violated('violates unique constraint "species_id_key"', 'DETAIL:  Key (id)=(1) already exists.'),
      ),
    ),
    example(
      158,
      post(
        'entity/zoo:species?onconflict=skip',
        json([
          { id: 1, code: 'ZZZ' },
          { id: 5, code: 'OWL' },
        ]),
        idsInOrder(5),
      ),
      get('attribute/zoo:species/id=1/code', column('code', 'LEO')),
    ),
    example(159, post('entity/zoo:species?onconflict=foo', json([{ id: 5, code: 'OWL' }]), refused(400))),
    example(160, duplicates('A', 400)),
    example(161, duplicates('B', 409)),
    example(
      162,
      post('entity/zoo:species', json([{ code: 'OWL' }]), refused(409, 'null value in column "id"')),
      post('entity/zoo:species', json([{}]), refused(409, 'violates not-null constraint')),
      post('entity/zoo:species', json([{ id: null, code: 'X' }]), refused(409, 'null value in column "id"')),
    ),
    example(
      163,
      postEach(
        'entity/zoo:species',
        refused(400),
        json([{ id: 'x', code: 'OWL' }]),
        json([{ id: 5.5, code: 'X' }]),
        json({ id: 5 }),
        rawBody('nonsense'),
        rawBody(''),
      ),
    ),
    example(
      164,
      post(
        'entity/zoo:species',
        json([{ id: 5, code: 'OWL', color: 'red' }]),
        rows({ ...anySystem, id: 5, code: 'OWL', name: null, legs: null, tags: null, info: null }),
      ),
    ),
    example(
      165,
      post(
        'entity/zoo:species',
        json([{ id: '5', code: 7, tags: [], info: null }]),
        rows({ ...anySystem, id: 5, code: '7', name: null, legs: null, tags: [], info: null }),
      ),
      get('attribute/zoo:species/info::null::/id', ids(2)),
    ),
    example(
      166,
      post(
        'entity/zoo:animal',
        json([{ id: 9, species_id: 77 }]),
        violated(
          'insert or update on table "animal" violates foreign key constraint "animal_species_id_fkey"',
          'DETAIL:  Key (species_id)=(77) is not present in table "species".',
        ),
      ),
    ),
    example(
      167,
      post(
        'entity/zoo:species',
        csvBody(speciesHeader, '5,OWL,"",2,"[""a""]",'),
        ok((answer) => {
          expect(answer.headers['content-type']).toBe('text/csv');
          expect(answer.text).toMatch(/^RID,RCT,RMT,RCB,RMB,id,code,name,legs,tags,info\n.*,5,OWL,"",2,\{a\},\n$/);
        }),
      ),
      get('attribute/zoo:species/id=5/name,tags,info', rows({ name: '', tags: ['a'], info: null })),
      get('attribute/zoo:species/info::null::/id@sort(id)', ids(2, 5)),
    ),
    example(168, post('entity/zoo:species', csvBody('id,code', '5,OWL'), refused(400))),
    example(169, post('entity/zoo:species', csvBody(`${speciesHeader},color`, '5,OWL,,,,,red'), refused(409))),
    example(
      170,
      postEach(
        'entity/zoo:species',
        refused(400),
        csvBody(`${speciesHeader},id`, '5,OWL,,,,,5'),
        csvBody(speciesHeader, '5,OWL,,,'),
        csvBody(speciesHeader, '5,OWL,,,,,'),
      ),
    ),
    example(
      171,
      post(
        'entity/zoo:transfer?defaults=id',
        json([{ id: 99, animal_id: 2, to_id: 3 }]),
        rows({ ...anySystem, id: 4, animal_id: 2, from_id: null, to_id: 3, day: null }),
      ),
    ),
    example(172, post('entity/zoo:transfer', json([{ animal_id: 2 }]), refused(409))),
    example(173, post('entity/zoo:bare', json([{}]), rows({ ...anySystem, value: null }))),
    example(174, post('entity/zoo:bare?defaults=value', json([{}]), refused(409))),
    example(175, post('entity/zoo:species?defaults=nosuch', json([]), refused(409))),
    example(
      176,
      post(
        'entity/zoo:bare?nondefaults=RID',
        json([{ RID: 'AAAAA2', value: 'v' }]),
        rows({ ...anySystem, RID: 'AAAAA2', value: 'v' }),
      ),
      get('attribute/zoo:bare/RID=aa-aaa2/RID', rows()),
      get('attribute/zoo:bare/RID=AAAAA2/RID', rows({ RID: 'AAAAA2' })),
    ),
    story(177, 'a RID brought along without a lease', async (zoo) => {
      await grant(zoo, mayInsert);
      const body = json([{ RID: 'AAAAA2', value: 'v' }]);
      expect((await zoo.send('POST', 'entity/zoo:bare?nondefaults=RID', { as: 'bob', body })).status).toBe(403);
    }),
    story(178, 'a RID brought along with a lease', async (zoo) => {
      await grant(zoo, mayInsert);
      const leases = `entity/public:${wireProfile(zoo.profile).builtinTablePrefix}RID_Lease`;
      const leased = await zoo.send('POST', leases, { as: 'bob', body: json([{}]) });
      expect(leased.status).toBe(200);
      const { RID } = onlyRow(rowsOf(leased));
      const body = json([{ RID, value: 'v' }]);
      const claimed = await zoo.send('POST', 'entity/zoo:bare?nondefaults=RID', { as: 'bob', body });
      expect(claimed.status).toBe(200);
      expect(onlyRow(rowsOf(claimed))).toMatchObject({ RID, RCB: 'bob', value: 'v' });
      expect(rowsOf(await zoo.send('GET', leases, { as: 'bob' }))).toStrictEqual([]);
    }),
    example(179, post('entity/zoo:bare?nondefaults=RMT', json([]), refused(403))),
    example(
      180,
      post('entity/zoo:animal/id=1', json([]), refused(400)),
      post('entity/zoo:species/zoo:animal', json([]), refused(400)),
    ),
    example(181, post('entity/zoo:heavy', json([{ id: 1 }]), refused(409))),
    example(182, post('entity/zoo:species', rawBody('<species/>', 'application/xml'), refused(415))),
  ],
};

/** Two new species with one id and the codes A and `second`: refused, or the second one skipped. */
function duplicates(second: string, refusal: number) {
  const body: Body = json([
    { id: 5, code: 'A' },
    { id: 5, code: second },
  ]);
  return [
    post('entity/zoo:species', body, refused(refusal)),
    post(
      'entity/zoo:species?onconflict=skip',
      body,
      rowsThat((found) => expect(onlyRow(found)).toMatchObject({ id: 5, code: 'A' })),
    ),
    get('attribute/zoo:species/id=5/id,code', rows({ id: 5, code: 'A' })),
  ];
}
