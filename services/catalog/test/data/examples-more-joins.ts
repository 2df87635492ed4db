import { expect } from '@jest/globals';
import { example, get, getEach, type Section } from './example.js';
import {
  anySystem,
  column,
  expectSameElements,
  ids,
  onlyRow,
  refused,
  rows,
  rowsThat,
  systemNames,
} from './expectations.js';

const animal = 'attribute/zoo:animal/';
const animalNames = [
  ...systemNames,
  'id',
  'name',
  'species_id',
  'enclosure_id',
  'mother_id',
  'weight',
  'born',
] as const;

/** spec/catalog-data.md 11.8, reading: joins, groups, projections */
export const moreJoins: Section = {
  title: '11.8 further joins, groups, projections',
  examples: [
    example(
      216,
      get('aggregate/A:=zoo:animal/zoo:species/n:=cnt(A:*),m:=cnt(*),d:=cnt_d(A:id)', rows({ n: 4, m: 4, d: 4 })),
    ),
    example(
      217,
      get('aggregate/E:=zoo:enclosure/left(id)=(zoo:animal:enclosure_id)/E:id=3/x:=array(*)', rows({ x: [null] })),
    ),
    example(
      218,
      get(
        'attributegroup/M:=zoo:enclosure/A:=left(id)=(zoo:animal:enclosure_id)/$M/' +
          'M:id;c:=cnt_d(A:RID),a:=array_d(A:name)@sort(id)',
        rowsThat((found) => {
          expect(found.map(({ id, c }) => ({ id, c }))).toStrictEqual([
            { id: 1, c: 3 },
            { id: 2, c: 1 },
            { id: 3, c: 0 },
          ]);
          expectSameElements(found[0]?.a, ['', 'Asha', 'Bo']);
          expect(found[1]?.a).toStrictEqual(['Cleo']);
          expect(found[2]?.a).toStrictEqual([null]);
        }),
      ),
    ),
    example(
      219,
      get(
        'attributegroup/M:=zoo:animal/F1:=left(species_id)=(zoo:species:id)/$M/' +
          'M:id;F1:=array_d(F1:*),M:name@sort(id)?limit=1',
        rowsThat((found) => {
          const lion = { ...anySystem, id: 1, code: 'LEO', name: 'Lion', legs: 4 };
          expect(found).toStrictEqual([
            { id: 1, F1: [{ ...lion, tags: ['cat', 'big'], info: { diet: 'meat' } }], name: 'Asha' },
          ]);
        }),
      ),
    ),
    example(
      220,
      get(
        'attribute/M:=zoo:animal/id=1/M:*,id',
        rowsThat((found) =>
          expect(Object.keys(onlyRow(found))).toStrictEqual([...animalNames.map((name) => `M:${name}`), 'id']),
        ),
      ),
    ),
    example(
      221,
      get(
        'attribute/A:=zoo:animal/id=1/A:*,*',
        rowsThat((found) =>
          expect(Object.keys(onlyRow(found))).toStrictEqual([
            ...animalNames.map((name) => `A:${name}`),
            ...animalNames,
          ]),
        ),
      ),
    ),
    example(
      222,
      getEach(
        refused(400),
        '',
        'attribute/A:=zoo:animal/id=1/A:RID,RID',
        'attribute/zoo:species/x:=id,x:=code',
        'attributegroup/zoo:animal/id;id:=cnt(*)',
        'attributegroup/zoo:enclosure/id;*',
        'aggregate/zoo:animal/n:=cnt(*),n:=cnt(id)',
      ),
    ),
    example(
      223,
      get(
        'attribute/M:=zoo:animal/zoo:species/$M/rid:=M:RID,M:id@sort(id)?limit=1',
        rowsThat((found) => expect(onlyRow(found)).toStrictEqual({ rid: expect.any(String), id: 1 })),
      ),
      get(
        (zoo) => `attribute/M:=zoo:animal/zoo:species/$M/RID=${zoo.rid('animal', 1)}/M:id@sort(id)?limit=1`,
        rows({ id: 1 }),
      ),
    ),
    example(
      224,
      get(
        'attribute/M:=zoo:animal/S:=left(species_id)=(zoo:species:id)/$M/E:=left(enclosure_id)=(zoo:enclosure:id)/$M/' +
          'id,S:code,en:=E:name@sort(code::desc::,id)@after(LEO,1)?limit=2',
        rows({ id: 2, code: 'LEO', en: 'Savanna' }, { id: 4, code: 'EMU', en: 'Savanna' }),
      ),
    ),
    example(
      225,
      get(
        'attribute/M:=zoo:animal/S:=left(species_id)=(zoo:species:id)/E:=left(M:enclosure_id)=(zoo:enclosure:id)/$M/' +
          'id,S:code,en:=E:name@sort(code,id)',
        rows(
          { id: 3, code: 'BOA', en: 'Reptile House' },
          { id: 4, code: 'EMU', en: 'Savanna' },
          { id: 1, code: 'LEO', en: 'Savanna' },
          { id: 2, code: 'LEO', en: 'Savanna' },
          { id: 5, code: null, en: null },
        ),
      ),
    ),
    example(226, get(`attribute/M:=zoo:animal/S:=left(species_id)=(zoo:species:id)/S:RID::null::/$M/id`, ids(5))),
    example(
      227,
      get(
        'attribute/M:=zoo:animal/F1:=left(species_id)=(zoo:species:id)/$M/' +
          'F2:=left(enclosure_id)=(zoo:enclosure:id)/$M/id=5/M:id,F1:code,F2:*',
        rowsThat((found) => {
          const enclosure = [...systemNames, 'id', 'name', 'opened'].map((name) => [`F2:${name}`, null]);
          expect(found).toStrictEqual([{ id: 5, code: null, ...Object.fromEntries(enclosure) }]);
        }),
      ),
    ),
    example(228, get(`${animal}left(species_id)/code@sort(code)`, column('code', 'BOA', 'EMU', 'LEO', null))),
    example(
      229,
      get('attribute/A:=zoo:animal/zoo:enclosure/(A:species_id)/code@sort(code)', column('code', 'BOA', 'EMU', 'LEO')),
    ),
    example(
      230,
      get(
        'attributegroup/zoo:transfer/T:=zoo:animal/F:=zoo:enclosure/$T/enclosure_id;n:=cnt(*)@sort(enclosure_id)',
        rows({ enclosure_id: 1, n: 2 }, { enclosure_id: 2, n: 1 }),
      ),
    ),
    example(
      231,
      get(
        'attributegroup/M:=zoo:animal/!(enclosure_id::null::)/' +
          'v:=enclosure_id;count:=cnt_d(M:RID)@sort(count::desc::,v)?limit=11',
        rows({ v: 1, count: 3 }, { v: 2, count: 1 }),
      ),
    ),
    example(
      232,
      get(
        'aggregate/M:=zoo:animal/S:=left(species_id)=(zoo:species:id)/S:code=any(LEO,BOA)/$M/num:=cnt_d(M:RID)',
        rows({ num: 3 }),
      ),
    ),
  ],
};
