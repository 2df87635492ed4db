import { expect } from '@jest/globals';
import { json, rawBody } from '../support/zoo.js';
import { example, get, partOf, put, type Section, story } from './example.js';
import { anySystem, column, idsInOrder, onlyRow, refused, rows, rowsThat } from './expectations.js';
import { rowsOf } from './raw-client.js';

const enclosure = 'entity/zoo:enclosure';
const byId = 'attributegroup/zoo:animal/id';

/** spec/catalog-data.md 11.7, PUT */
export const updates: Section = {
  title: '11.7 mutations: PUT',
  examples: [
    example(
      183,
      put(
        enclosure,
        json([
          { id: 3, name: 'Aviary' },
          { id: 4, name: 'New' },
        ]),
        rows({ ...anySystem, id: 3, name: 'Aviary', opened: null }, { ...anySystem, id: 4, name: 'New', opened: null }),
      ),
      get(
        'attribute/zoo:enclosure/id,name@sort(id)',
        rows(
          { id: 1, name: 'Savanna' },
          { id: 2, name: 'Reptile House' },
          { id: 3, name: 'Aviary' },
          { id: 4, name: 'New' },
        ),
      ),
      get((zoo) => `attribute/zoo:enclosure/RID=${zoo.rid('enclosure', 3)}/name`, column('name', 'Aviary')),
    ),
    example(
      184,
      put(enclosure, json([{ id: 1, name: 'Savanna' }]), rows({ ...anySystem, id: 1, name: 'Savanna', opened: null })),
      get('attribute/zoo:enclosure/id=1/opened', column('opened', null)),
    ),
    example(
      185,
      put(
        'entity/zoo:species',
        json([{ id: 1, code: 'LEO', legs: 3 }]),
        rows({ ...anySystem, id: 1, code: 'LEO', name: null, legs: 3, tags: null, info: null }),
      ),
      get('attribute/zoo:species/id=1/name,legs', rows({ name: null, legs: 3 })),
    ),
    example(186, put('entity/zoo:species', json([{ id: 1, code: 'NEW' }]), refused(409))),
    example(187, put('entity/zoo:bare', json([{ value: 'x' }]), refused(409))),
    story(188, 'the CSV of a GET comes back', async (zoo) => {
      const before = await zoo.send('GET', `${enclosure}@sort(id)?accept=csv`);
      const back = await zoo.send('PUT', enclosure, { body: rawBody(before.text, 'text/csv') });
      expect(back.status).toBe(200);
      const now = rowsOf(await zoo.send('GET', 'attribute/zoo:enclosure/RID,id,name,opened@sort(id)'));
      expect(now).toStrictEqual([
        { RID: zoo.rid('enclosure', 1), id: 1, name: 'Savanna', opened: '2001-05-01' },
        { RID: zoo.rid('enclosure', 2), id: 2, name: 'Reptile House', opened: '2010-09-15' },
        { RID: zoo.rid('enclosure', 3), id: 3, name: 'Empty', opened: null },
      ]);
    }),
    example(
      189,
      put(
        `${byId};weight`,
        json([
          { id: 1, weight: 200 },
          { id: 4, weight: 30 },
        ]),
        rows({ id: 1, weight: 200 }, { id: 4, weight: 30 }),
      ),
      get('attribute/zoo:animal/id,weight@sort(id)', weights(200, 80, 12.25, 30, 7)),
    ),
    example(
      190,
      put(
        `${byId};weight`,
        json([
          { id: 1, weight: 1 },
          { id: 77, weight: 2 },
        ]),
        refused(409),
      ),
      get('attribute/zoo:animal/id=1/weight', column('weight', 190.5)),
    ),
    example(
      191,
      put(
        `${byId};weight`,
        json([
          { id: 1, weight: 1 },
          { id: 1, weight: 2 },
        ]),
        refused(400),
      ),
    ),
    example(
      192,
      put(
        'attributegroup/zoo:species/old:=code;new:=code',
        json([{ old: 'LEO', new: 'LIO' }]),
        rows({ old: 'LEO', new: 'LIO' }),
      ),
      get('attribute/zoo:species/id=1/code', column('code', 'LIO')),
    ),
    example(
      193,
      put(
        'attributegroup/zoo:animal/enclosure_id;weight',
        json([{ enclosure_id: 1, weight: 0 }]),
        rows({ enclosure_id: 1, weight: 0 }, { enclosure_id: 1, weight: 0 }, { enclosure_id: 1, weight: 0 }),
      ),
      get('attribute/zoo:animal/id,weight@sort(id)', weights(0, 0, 12.25, 0, 7)),
    ),
    example(
      194,
      put(
        'attributegroup/zoo:animal/enclosure_id;weight',
        json([{ enclosure_id: null, weight: 9 }]),
        rows({ enclosure_id: null, weight: 9 }),
      ),
      get('attribute/zoo:animal/id,weight@sort(id)', weights(190.5, 80, 12.25, null, 9)),
    ),
    example(
      195,
      ['', ';n:=cnt(*)', ';weight,weight', ';id'].map((lists) => put(`${byId}${lists}`, json([]), refused(400))),
    ),
    example(196, put(`${byId};RMT`, json([]), refused(403))),
    example(
      197,
      put('attributegroup/A:=zoo:animal/id;A:weight', json([]), refused(409)),
      put('attributegroup/A:=zoo:animal/A:id;weight', json([]), rows()),
    ),
  ],
};

/** spec/catalog-data.md 11.8, PUT */
export const moreUpdates: Section = {
  title: '11.8 further constructs: PUT',
  examples: [
    partOf(
      276,
      'PUT',
      put('entity/zoo:animal', json([{ id: 1, name: 'A', mother_id: 40 }, { id: 40 }]), idsInOrder(1, 40)),
      get('attribute/zoo:animal/id=1/id,mother_id', rows({ id: 1, mother_id: 40 })),
    ),
    example(
      277,
      put(
        'entity/zoo:census',
        json([
          { site: 'N', yr: 2020, num: 50 },
          { site: 'Z', yr: 1, num: 1 },
        ]),
        rows({ ...anySystem, site: 'N', yr: 2020, num: 50 }, { ...anySystem, site: 'Z', yr: 1, num: 1 }),
      ),
      get('aggregate/zoo:census/n:=cnt(*),s:=sum(num)', rows({ n: 4, s: 58 })),
      put(
        'entity/zoo:census',
        json([
          { site: 'Y', yr: 1, num: 1 },
          { site: 'Y', yr: 1, num: 2 },
        ]),
        refused(400),
      ),
    ),
    example(
      278,
      put('entity/zoo:species', json([{ id: 1, code: 'EMU' }]), refused(409)),
      put(
        'entity/zoo:species',
        json([
          { id: 9, code: 'LEO' },
          { id: 10, code: 'TEN' },
        ]),
        refused(409),
      ),
      get(
        'attribute/zoo:species/id,code@sort(id)',
        rows({ id: 1, code: 'LEO' }, { id: 2, code: 'EMU' }, { id: 3, code: 'BOA' }, { id: 4, code: 'FEL' }),
      ),
    ),
    ...['limit=1', 'defaults=id', 'onconflict=skip'].map((parameter) =>
      partOf(
        279,
        parameter,
        put(
          `${enclosure}?${parameter}`,
          json([
            { id: 3, name: 'Aviary' },
            { id: 4, name: 'New' },
          ]),
          idsInOrder(3, 4),
        ),
        get('attribute/zoo:enclosure/name@sort(name)', column('name', 'Aviary', 'New', 'Reptile House', 'Savanna')),
      ),
    ),
    story(280, 'RID as a key of an update', async (zoo) => {
      const RID = zoo.rid('species', 1);
      const update = (rid: string) =>
        zoo.send('PUT', 'attributegroup/zoo:species/RID;name', { body: json([{ RID: rid, name: 'x' }]) });
      const verbatim = await update(RID);
      expect(verbatim.status).toBe(200);
      expect(onlyRow(rowsOf(verbatim))).toStrictEqual({ RID, name: 'x' });
      // a RID of digits only is the same in lower case
      const other = RID === RID.toLowerCase() ? `0${RID}` : RID.toLowerCase();
      expect((await update(other)).status).toBe(409);
    }),
    example(
      281,
      put(
        'attributegroup/zoo:species/old:=code,legs;new:=code,nm:=name',
        json([{ old: 'LEO', legs: 4, new: 'LIO', nm: 'x' }]),
        rowsThat((found) => {
          const row = onlyRow(found);
          expect(row).toStrictEqual({ old: 'LEO', legs: 4, new: 'LIO', nm: 'x' });
          expect(Object.keys(row)).toStrictEqual(['old', 'legs', 'new', 'nm']);
        }),
      ),
    ),
    example(
      282,
      put(`${byId};weight,name`, json([{ id: 2, weight: null }]), rows({ id: 2, weight: null, name: null })),
      get('attribute/zoo:animal/id=2/weight,name', rows({ weight: null, name: null })),
    ),
    example(
      283,
      put(
        'attributegroup/zoo:census_note/yr;note',
        json([
          { yr: null, note: 'a' },
          { yr: null, note: 'b' },
        ]),
        refused(400),
      ),
    ),
    example(
      284,
      put('attributegroup/zoo:species/id;new:=id', json([{ id: 4, new: 44 }]), rows({ id: 4, new: 44 })),
      put(
        'attributegroup/zoo:species/id;new:=id',
        json([{ id: 1, new: 100 }]),
        refused(409, 'is still referenced from table "animal"'),
      ),
    ),
  ],
};

function weights(...expected: readonly (number | null)[]) {
  return rows(...expected.map((weight, index) => ({ id: index + 1, weight })));
}
