import { wireProfile } from '@holdfast/http-kit';
import { expect } from '@jest/globals';
import { csvBody, json, rawBody } from '../support/zoo.js';
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
import { grant } from './grants.js';
import { rowsOf } from './raw-client.js';

const mayInsert = { acl: ['enumerate', 'insert'] };
const speciesHeader = 'id,code,name,legs,tags,info';

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
      await grant(zoo, mayInsert);
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
