import { expect } from '@jest/globals';
import { json } from '../support/zoo.js';
import { example, get, getEach, post, type Section } from './example.js';
import {
  anySystem,
  column,
  expectSameElements,
  onlyRow,
  refused,
  rows,
  rowsThat,
  status,
  systemNames,
} from './expectations.js';

const groups = 'attributegroup/zoo:animal/';

/** spec/catalog-data.md 11.4 */
export const projections: Section = {
  title: '11.4 projections, groups, aggregates',
  examples: [
    example(87, get('attribute/zoo:species/legs@sort(legs)', column('legs', 0, 2, 4, 4))),
    example(88, get('attributegroup/zoo:species/legs@sort(legs)', column('legs', 0, 2, 4))),
    example(
      89,
      get(
        'attribute/zoo:species/x:=id,id@sort(id)',
        rows({ x: 1, id: 1 }, { x: 2, id: 2 }, { x: 3, id: 3 }, { x: 4, id: 4 }),
      ),
    ),
    example(90, get('attribute/A:=zoo:animal/zoo:species/A:id,id', refused(400))),
    example(91, get('attribute/zoo:species/*,id', refused(400))),
    example(
      92,
      get(
        'attribute/A:=zoo:enclosure/A:*@sort(A%3Aid)',
        rowsThat((found) => {
          const names = [...systemNames, 'id', 'name', 'opened'].map((name) => `A:${name}`);
          for (const row of found) expect(Object.keys(row)).toStrictEqual(names);
          expect(found.map((row) => row['A:id'])).toStrictEqual([1, 2, 3]);
        }),
      ),
    ),
    example(93, get('attribute/A:=zoo:enclosure/A:*@sort(A:id)', refused(400))),
    example(94, get('attribute/zoo:species/x:=*', refused(400))),
    example(95, getEach(refused(400), 'attribute/zoo:species/', 'X:id', 'zoo:species:id')),
    example(96, get('attribute/zoo:species/nosuch', refused(409))),
    example(97, getEach(refused(400), 'attribute/zoo:species', '', '/id;name', '/n:=cnt(id)')),
    example(
      98,
      get(
        `${groups}enclosure_id;n:=cnt(*),m:=max(weight)@sort(enclosure_id)`,
        rows(
          { enclosure_id: 1, n: 3, m: 190.5 },
          { enclosure_id: 2, n: 1, m: 12.25 },
          { enclosure_id: null, n: 1, m: 7 },
        ),
      ),
    ),
    example(
      99,
      get(
        `${groups}enclosure_id;n:=cnt(*)@sort(n::desc::,enclosure_id)`,
        rows({ enclosure_id: 1, n: 3 }, { enclosure_id: 2, n: 1 }, { enclosure_id: null, n: 1 }),
      ),
    ),
    example(
      100,
      get(
        `${groups}E:=zoo:enclosure/E:name;n:=cnt(*)@sort(name)`,
        rows({ name: 'Reptile House', n: 1 }, { name: 'Savanna', n: 3 }),
      ),
    ),
    example(101, get(`${groups}enclosure_id=2/enclosure_id;name`, rows({ enclosure_id: 2, name: 'Cleo' }))),
    example(102, get(`${groups}enclosure_id;cnt(*)`, refused(400))),
    example(103, getEach(refused(400), 'attributegroup/zoo:animal', '', '/;n:=cnt(*)', '/id;', '/n:=cnt(id)')),
    example(104, get(`${groups}enclosure_id;n:=cnt(*)@sort(weight)`, refused(400))),
    example(
      105,
      get(
        `${groups}b:=bin(weight;4;0;100);n:=cnt(*)@sort(b)`,
        rows(
          { b: [null, null, null], n: 1 },
          { b: [1, 0, 25], n: 2 },
          { b: [4, 75, 100], n: 1 },
          { b: [5, 100, null], n: 1 },
        ),
      ),
    ),
    example(
      106,
      get(
        'attributegroup/zoo:species/b:=bin(legs;2;0;4);n:=cnt(*)@sort(b)',
        rows({ b: [1, 0, 2], n: 1 }, { b: [2, 2, 4], n: 1 }, { b: [3, 4, null], n: 2 }),
      ),
    ),
    example(107, get('attribute/zoo:animal/bin(name;2;0;4)', refused(409))),
    example(
      108,
      getEach(refused(400), 'attribute/zoo:animal/', 'bin(weight;0;0;4)', 'bin(weight;2;5;5)', 'bin(weight;2)'),
    ),
    example(
      109,
      get(
        'aggregate/zoo:animal/n:=cnt(*),c:=cnt(name),s:=cnt_d(species_id),lo:=min(weight),hi:=max(weight),' +
          'av:=avg(weight),sm:=sum(weight)',
        rows({ n: 5, c: 4, s: 3, lo: 7, hi: 190.5, av: 72.4375, sm: 289.75 }),
      ),
    ),
    example(
      110,
      get(
        'aggregate/zoo:animal/a:=array(species_id),d:=array_d(species_id)',
        rowsThat((found) => {
          const { a, d } = onlyRow(found);
          expectSameElements(a, [1, 1, 2, 3, null]);
          expect(Array.isArray(a) && a.filter((value) => value === 1)).toStrictEqual([1, 1]);
          expectSameElements(d, [1, 2, 3, null]);
        }),
      ),
    ),
    example(
      111,
      get('aggregate/zoo:animal/id=99/n:=cnt(*),a:=array(id),t:=sum(weight)', rows({ n: 0, a: null, t: null })),
    ),
    example(
      112,
      get(
        'aggregate/zoo:enclosure/id=3/r:=array(*)',
        rows({ r: [{ ...anySystem, id: 3, name: 'Empty', opened: null }] }),
      ),
    ),
    example(
      113,
      get('aggregate/zoo:species/s:=sum(legs),v:=avg(legs),t:=max(tags)', rows({ s: 10, v: 2.5, t: ['cat', 'big'] })),
    ),
    example(114, get('aggregate/zoo:species/id=2/name', rows({ name: 'Emu' }))),
    example(115, getEach(refused(409), 'aggregate/zoo:species/', 'x:=min(info)', 'x:=sum(name)')),
    example(
      116,
      getEach(refused(400), 'aggregate/zoo:species/', 'x:=cnt_d(*)', 'x:=median(id)', 'x:=cnt()', 'x:=CNT(id)'),
    ),
    example(117, get('aggregate/zoo:species/n:=cnt(*)@sort(n)', refused(400))),
    example(
      118,
      post('entity/zoo:bare', json([{ value: 'v' }]), status(200)),
      get(
        'attributegroup/zoo:bare/value;x:=tcrs(RID)',
        rows({
          value: 'v',
          x: {
            update: true,
            delete: true,
            column_update: { RID: false, RCT: false, RMT: false, RCB: false, RMB: false, value: true },
          },
        }),
      ),
    ),
    example(119, get('attributegroup/zoo:species/id;x:=trs(id)', refused(409))),
  ],
};
