import { expect } from '@jest/globals';
import { example, get, getEach, type Section } from './example.js';
import { anySystem, column, ids, idsInOrder, onlyRow, refused, rows, rowsThat, systemNames } from './expectations.js';

const animal = 'attribute/zoo:animal';
const species = 'attribute/zoo:species';

/** spec/catalog-data.md 11.2 */
export const filters: Section = {
  title: '11.2 roots, filters',
  examples: [
    example(
      1,
      get(
        'entity/zoo:species@sort(id)',
        rowsThat((found) => {
          const names = [...systemNames, 'id', 'code', 'name', 'legs', 'tags', 'info'];
          for (const row of found) expect(Object.keys(row)).toStrictEqual(names);
          expect(found).toStrictEqual([
            { ...anySystem, id: 1, code: 'LEO', name: 'Lion', legs: 4, tags: ['cat', 'big'], info: { diet: 'meat' } },
            { ...anySystem, id: 2, code: 'EMU', name: 'Emu', legs: 2, tags: ['bird'], info: null },
            { ...anySystem, id: 3, code: 'BOA', name: 'Boa', legs: 0, tags: [], info: { diet: 'meat', len: 3 } },
            { ...anySystem, id: 4, code: 'FEL', name: null, legs: 4, tags: null, info: null },
          ]);
        }),
      ),
    ),
    example(
      2,
      get(
        `${species}/id,code@sort(id)`,
        rows({ id: 1, code: 'LEO' }, { id: 2, code: 'EMU' }, { id: 3, code: 'BOA' }, { id: 4, code: 'FEL' }),
      ),
    ),
    example(3, get('attribute/species/id@sort(id)', ids(1, 2, 3, 4))),
    example(4, get('entity/animal', refused(409))),
    example(5, getEach(refused(409), 'entity/', 'nosuch', 'zoo:nosuch', 'nosuch:species')),
    example(6, get('entity/a:b:c', refused(400))),
    example(7, getEach(refused(400), 'entity', '', '/', '/zoo:species/')),
    example(8, get(`${animal}/species_id=1/id@sort(id)`, ids(1, 2))),
    example(9, get(`${animal}/species_id=1/weight::lt::100/id`, ids(2))),
    example(10, get(`${animal}/name=/id`, ids(4))),
    example(11, get(`${animal}/name::null::/id`, ids(5))),
    example(12, get(`${animal}/!name::null::/id@sort(id)`, ids(1, 2, 3, 4))),
    example(13, get(`${animal}/!name=Bo/id@sort(id)`, ids(1, 3, 4))),
    example(14, get(`${animal}/weight::gt::12.25/id@sort(id)`, ids(1, 2))),
    example(15, get(`${animal}/weight::geq::12.25&weight::leq::80/id@sort(id)`, ids(2, 3))),
    example(16, get(`${animal}/species_id=1&name=Bo;id=5/id@sort(id)`, ids(2, 5))),
    example(17, get(`${animal}/(species_id=1;species_id=2)&enclosure_id=1/id@sort(id)`, ids(1, 2, 4))),
    example(18, get(`${animal}/!(species_id=1;species_id=2)/id`, ids(3))),
    example(19, get(`${animal}/(species_id=1)&(!name=Bo)/id`, ids(1))),
    example(20, get(`${animal}/name::regexp::%5EA/id`, ids(1))),
    example(21, get(`${animal}/name::ciregexp::O%24/id@sort(id)`, ids(2, 3))),
    example(22, get(`${animal}/*::ciregexp::cleo/id`, ids(3))),
    example(23, get(`${animal}/*::ciregexp::all(cleo,12.25)/id`, ids(3))),
    example(24, get(`${animal}/born::regexp::T11/id`, ids(1))),
    example(25, get(`${animal}/name::ts::asha/id`, ids(1))),
    example(26, get(`${animal}/id=any(1,3,9)/id@sort(id)`, ids(1, 3))),
    example(27, get(`${animal}/id=all(1,3)/id`, ids())),
    example(28, get(`${animal}/name=ANY(Bo,)/id@sort(id)`, ids(2, 4))),
    example(29, get(`${species}/tags=cat/id`, ids(1))),
    example(30, get(`${species}/!tags=cat/id@sort(id)`, ids(2, 3))),
    example(31, get(`${species}/tags=any(cat,bird)/id@sort(id)`, ids(1, 2))),
    example(32, get(`${species}/tags=all(cat,big)/id`, ids(1))),
    example(33, get(`${species}/tags::gt::c/id`, ids(1))),
    example(34, get(`${species}/!tags::gt::c/id`, ids(2))),
    example(35, get(`${species}/info=%7B%22diet%22%3A%22meat%22%7D/id`, ids(1))),
    example(36, get(`${species}/info::null::/id`, ids(2))),
    example(37, get(`${animal}/born=2015-03-11T11%3A32%3A56.12Z/id`, ids(1))),
    example(38, get(`${animal}/id=99999999999999999999/id`, ids())),
    example(39, getEach(refused(400), 'entity/zoo:animal/', 'id=abc', 'id=', 'id=1.5')),
    example(40, get('entity/zoo:animal/born=notadate', refused(400))),
    example(41, get('entity/zoo:animal/nosuch=1', refused(409))),
    example(42, get('entity/zoo:animal/X:id=1', refused(409))),
    example(43, get('entity/zoo:animal/zoo:animal:id=1', refused(409))),
    example(44, getEach(refused(400), 'entity/zoo:animal/', '*=x', '*::null::')),
    example(45, getEach(refused(400), 'entity/zoo:animal/', 'id=(1,2)', 'id=some(1)', 'id=any(any(1))')),
    example(46, getEach(refused(400), 'entity/zoo:animal/', 'id=1,2', '!!id=1', 'id!=1', '(id=1', 'id=1&')),
    example(47, get('entity/zoo:animal/born=2015-03-11T11:32:56', refused(400))),
    example(48, getEach(refused(400), 'entity/zoo:animal/', 'name::GT::1', 'name::foo::1', 'name=::null::')),
    example(49, getEach(refused(400), 'entity/zoo:animal/', 'name=a+b', "name='x'", 'name=50%')),
    example(50, get('attribute/A:=zoo:animal/A:id=1/A:name', column('name', 'Asha'))),
    example(
      51,
      get(
        (zoo) => `entity/zoo:animal/RID=${zoo.rid('animal', 1).toLowerCase().replaceAll('-', '')}`,
        rowsThat((found) => expect(onlyRow(found)).toMatchObject({ id: 1, name: 'Asha' })),
      ),
    ),
    example(
      52,
      get('entity/zoo:heavy@sort(id)', idsInOrder(1, 2)),
      get(
        'entity/zoo:heavy@sort(id)',
        rowsThat((found) => {
          for (const row of found) expect(Object.keys(row)).toStrictEqual([...systemNames, 'id', 'name', 'weight']);
        }),
      ),
      get(
        (zoo) => `attribute/zoo:heavy/RID=${zoo.rid('animal', 1)}/id,name,weight`,
        rows({ id: 1, name: 'Asha', weight: 190.5 }),
      ),
    ),
  ],
};
