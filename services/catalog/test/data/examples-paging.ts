import { example, get, getEach, type Section } from './example.js';
import { ids, idsInOrder, refused } from './expectations.js';

const animal = 'attribute/zoo:animal/';

/** spec/catalog-data.md 11.5 */
export const paging: Section = {
  title: '11.5 sort, paging, limit',
  examples: [
    example(120, get(`${animal}id,name@sort(name,id)`, idsInOrder(4, 1, 2, 3, 5))),
    example(121, get(`${animal}id,name@sort(name::desc::)`, idsInOrder(5, 3, 2, 1, 4))),
    example(122, get(`${animal}id,weight@sort(weight::desc::)`, idsInOrder(4, 1, 2, 3, 5))),
    example(123, get(`${animal}id,name@sort(name)@after(Asha)`, idsInOrder(2, 3, 5))),
    example(124, get(`${animal}id,name@sort(name)@after()`, idsInOrder(1, 2, 3, 5))),
    example(125, get(`${animal}id,name@sort(name)@after(::null::)`, idsInOrder())),
    example(126, get(`${animal}id,name@sort(name)@before(Cleo)?limit=1`, idsInOrder(2))),
    example(127, get(`${animal}id,name@sort(name)@before(Cleo)?limit=10`, idsInOrder(4, 1, 2))),
    example(128, get(`${animal}id,name@sort(name)@before(Cleo)`, refused(400))),
    example(129, get(`${animal}id,name@sort(name)@after(Asha)@before(::null::)`, idsInOrder(2, 3))),
    example(130, get(`${animal}id,weight@sort(weight::desc::)@after(::null::)`, idsInOrder(1, 2, 3, 5))),
    example(131, get(`${animal}id,weight@sort(weight::desc::)@before(80)?limit=9`, idsInOrder(4, 1))),
    example(
      132,
      getEach(refused(400), animal, 'id,name@after(Asha)', 'id,name@sort(name,id)@after(Asha)', 'id@sort(id)@after(x)'),
    ),
    example(133, get(`${animal}id@sort(id)?limit=2`, ids(1, 2))),
    example(134, getEach(ids(1, 2, 3, 4, 5), `${animal}id@sort(id)`, '?limit=none', '', '?limit')),
    example(135, get(`${animal}id?limit=0`, ids())),
    example(136, getEach(refused(400), `${animal}id`, '?limit=x', '?limit=-1', '?limit=1&limit=2')),
    example(137, get(`${animal}id@sort(nosuch)`, refused(400)), get('entity/zoo:animal@sort(nosuch)', refused(409))),
  ],
};
