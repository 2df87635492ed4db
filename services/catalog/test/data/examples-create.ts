import { wireProfile } from '@holdfast/http-kit';
import { expect } from '@jest/globals';
import { type Body, csvBody, json, rawBody, type Zoo } from '../support/zoo.js';
import { example, get, partOf, post, postEach, type Section, story } from './example.js';
import {
  anySystem,
  column,
  ids,
  idsInOrder,
  ok,
  onlyRow,
  refused,
  rows,
  rowsThat,
  status,
  violated,
} from './expectations.js';
import { rowsOf } from './raw-client.js';

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
          expect(row).toEqual({ ...anySystem, id: 5, code: 'OWL', name: null, legs: 2, tags: null, info: null });
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
      await letBobInsert(zoo);
      const body = json([{ RID: 'AAAAA2', value: 'v' }]);
      expect((await zoo.send('POST', 'entity/zoo:bare?nondefaults=RID', { as: 'bob', body })).status).toBe(403);
    }),
    story(178, 'a RID brought along with a lease', async (zoo) => {
      await letBobInsert(zoo);
      const leases = `entity/public:${wireProfile(zoo.profile).builtinTablePrefix}RID_Lease`;
      const leased = await zoo.send('POST', leases, { as: 'bob', body: json([{}]) });
      expect(leased.status).toBe(200);
      const { RID } = onlyRow(rowsOf(leased));
      const body = json([{ RID, value: 'v' }]);
      const claimed = await zoo.send('POST', 'entity/zoo:bare?nondefaults=RID', { as: 'bob', body });
      expect(claimed.status).toBe(200);
      expect(onlyRow(rowsOf(claimed))).toMatchObject({ RID, RCB: 'bob', value: 'v' });
      expect(rowsOf(await zoo.send('GET', leases, { as: 'bob' }))).toEqual([]);
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

/** spec/catalog-data.md 11.8, POST */
export const moreCreations: Section = {
  title: '11.8 further constructs: POST',
  examples: [
    example(
      265,
      post(
        'entity/zoo:species',
        json([
          { id: 10, code: 'P', tags: null },
          { id: 11, code: 'Q' },
          { id: 12, code: 'R', tags: [] },
          { id: 13, code: 'S', tags: ['x', null] },
        ]),
        idsInOrder(10, 11, 12, 13),
      ),
      get(
        'attribute/zoo:species/id::gt::9/id,tags@sort(id)',
        rows({ id: 10, tags: null }, { id: 11, tags: null }, { id: 12, tags: [] }, { id: 13, tags: ['x', null] }),
      ),
    ),
    example(
      266,
      post(
        'entity/zoo:species',
        csvBody(
          speciesHeader,
          '20,P,,,,',
          '21,Q,,,{},',
          '22,R,,,[],',
          '23,S,,,"{x,NULL}",null',
          '24,T,,,"[""x"",null]","{""a"":1}"',
        ),
        status(200),
      ),
      get(
        'attribute/zoo:species/id::geq::20/id,tags,info@sort(id)',
        rows(
          { id: 20, tags: null, info: null },
          { id: 21, tags: [], info: null },
          { id: 22, tags: [], info: null },
          { id: 23, tags: ['x', null], info: null },
          { id: 24, tags: ['x', null], info: { a: 1 } },
        ),
      ),
      get('attribute/zoo:species/id::geq::20/info::null::/id@sort(id)', ids(20, 21, 22)),
    ),
    example(
      267,
      post(
        'entity/zoo:species',
        rawBody('{"id":30,"code":"a\\\\b"}\n\n{"id":31,"code":"q\\"x"}\n', 'application/x-json-stream'),
        ok((answer) => {
          expect(answer.headers['content-type']).toBe('application/x-json-stream');
          expect(answer.text.split('\n').filter((line) => line !== '')).toHaveLength(2);
        }),
      ),
      get('attribute/zoo:species/id::geq::30/code@sort(code)', column('code', 'a\\b', 'q"x')),
    ),
    example(
      268,
      post(
        'entity/zoo:species',
        json([{ id: 74, code: { a: 1 }, name: [1, 2] }]),
        rows({ ...anySystem, id: 74, code: '{"a": 1}', name: '[1, 2]', legs: null, tags: null, info: null }),
      ),
      postEach(
        'entity/zoo:species',
        refused(400),
        rawBody('[{"id":75.0,"code":"f"}]'),
        json([{ id: 76, code: 'g', tags: '{a}' }]),
        json([{ id: 99999999999, code: 'h' }]),
        rawBody('[{"id":77,"code":"\\u0000"}]'),
      ),
    ),
    example(
      269,
      post(
        'entity/zoo:species?defaults=name,legs&onconflict=skip',
        json([
          { id: 1, code: 'X', name: 'N', legs: 9 },
          { id: 51, code: 'Y', legs: 3 },
        ]),
        rows({ ...anySystem, id: 51, code: 'Y', name: null, legs: null, tags: null, info: null }),
      ),
    ),
    example(
      270,
      post(
        'entity/zoo:species?defaults=name,legs&nondefaults=legs,nosuch',
        json([{ id: 50, code: 'X', name: 'N', legs: 9 }]),
        rows({ ...anySystem, id: 50, code: 'X', name: null, legs: 9, tags: null, info: null }),
      ),
    ),
    example(
      271,
      post('entity/zoo:bare?nondefaults=RID', json([{ RID: 'AAAAA2', value: 'old' }]), status(200)),
      post(
        'entity/zoo:bare?nondefaults=RID&onconflict=skip',
        json([
          { RID: 'AAAAA2', value: 'x' },
          { RID: 'AAAAA4', value: 'y' },
        ]),
        rows({ ...anySystem, RID: 'AAAAA4', value: 'y' }),
      ),
      post(
        'entity/zoo:bare?nondefaults=RID',
        json([
          { RID: 'AAAAA2', value: 'x' },
          { RID: 'AAAAA6', value: 'y' },
        ]),
        violated('violates unique constraint "bare_RID_key"'),
      ),
      post(
        'entity/zoo:bare?nondefaults=RID',
        json([
          { RID: 'AAAAA6', value: 'x' },
          { RID: 'AAAAA6', value: 'y' },
        ]),
        refused(400),
      ),
      get('attribute/zoo:bare/value@sort(value)', column('value', 'old', 'y')),
    ),
    example(
      272,
      postEach(
        'entity/zoo:bare?nondefaults=RID',
        refused(409),
        json([{ RID: null, value: 'v' }]),
        json([{ RID: 'hello!', value: 'v' }]),
      ),
      post('entity/zoo:bare?nondefaults=RID', csvBody('value', 'v'), refused(400)),
    ),
    partOf(
      273,
      'owner',
      post(
        'entity/zoo:bare?nondefaults=RID,RCT,RCB',
        json([{ RID: 'AAAAB0', RCT: '2020-01-01T00:00:00Z', RCB: 'x', value: 'v' }]),
        rowsThat((found) => {
          const row = onlyRow(found);
          expect(row).toMatchObject({ RID: 'AAAAB0', RCT: '2020-01-01T00:00:00+00:00', RCB: 'x', RMB: 'alice' });
          expect(Date.parse(String(row.RMT))).toBeGreaterThan(Date.parse('2024-01-01T00:00:00Z'));
        }),
      ),
      post('entity/zoo:bare?nondefaults=RMB', json([{ RMB: 'x', value: 'v' }]), refused(403)),
    ),
    story(273, 'holder of a lease', async (zoo) => {
      await letBobInsert(zoo);
      const leases = `entity/public:${wireProfile(zoo.profile).builtinTablePrefix}RID_Lease`;
      const { RID } = onlyRow(rowsOf(await zoo.send('POST', leases, { as: 'bob', body: json([{}]) })));
      const body = json([{ RID, RCT: '2020-01-01T00:00:00Z', RCB: 'x', value: 'v' }]);
      const answer = await zoo.send('POST', 'entity/zoo:bare?nondefaults=RID,RCT,RCB', { as: 'bob', body });
      expect(answer.status).toBe(403);
    }),
    example(
      274,
      post('entity/zoo:species?onconflict=SKIP', json([{ id: 1, code: 'LEO' }]), rows()),
      post('entity/zoo:species?onconflict=', json([{ id: 60, code: 'A' }]), refused(400)),
      post('entity/zoo:species?onconflict=skip', json([{ id: 60, code: null }]), refused(409)),
    ),
    example(
      275,
      post(
        'entity/zoo:species',
        csvBody(speciesHeader),
        ok((answer) => expect(answer.text).toBe(`RID,RCT,RMT,RCB,RMB,${speciesHeader}\n`)),
      ),
      post('entity/zoo:species', json([]), rows()),
    ),
    partOf(276, 'POST', post('entity/zoo:animal', json([{ id: 30, mother_id: 31 }, { id: 31 }]), idsInOrder(30, 31))),
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

async function letBobInsert(zoo: Zoo): Promise<void> {
  for (const right of ['enumerate', 'insert']) {
    const answer = await zoo.send('PUT', `acl/${right}`, { body: json(['bob']) });
    expect(answer.status).toBeLessThan(300);
  }
}
