import { example, get, getEach, partOf, type Section } from './example.js';
import { column, csv, csvOneOf, ids, idsInOrder, refused, rows } from './expectations.js';

const animal = 'attribute/zoo:animal/';
const species = 'attribute/zoo:species/';
/** spec/catalog-data.md 11.8, reading: filters */
export const moreFilters: Section = {
  title: '11.8 further filters',
  examples: [
    example(
      233,
      get(`${animal}*::ciregexp::any(cleo,bo)/id@sort(id)`, ids(2, 3)),
      get('attribute/M:=zoo:animal/*::ciregexp::a/*::ciregexp::h/$M/id', ids(1)),
    ),
    example(234, get('attribute/A:=zoo:animal/zoo:species/A:*::ciregexp::cleo/id', ids(3))),
    example(235, get(`${species}*::ciregexp::bird/id`, ids(2)), get(`${species}*::regexp::%22len%22/id`, ids(3))),
    example(
      236,
      get(`${species}tags=any()/id`, ids()),
      get(`${species}tags=all()/id`, ids()),
      get(`${species}!tags=any(cat,bird)/id`, ids(3)),
      get(`${species}tags::leq::bird/id@sort(id)`, ids(1, 2)),
      get(`${species}tags::regexp::any(ir,ig)/id@sort(id)`, ids(1, 2)),
    ),
    example(
      237,
      get(`${animal}name=any()/id`, ids(4)),
      getEach(refused(400), animal, 'id=any()/id', 'id=any(1,,2)/id'),
    ),
    example(
      238,
      get(`${animal}!RID=U/id@sort(id)`, ids(1, 2, 3, 4, 5)),
      get((zoo) => `${animal}RID=any(U,${zoo.rid('animal', 1)})/id`, ids(1)),
      get(`${animal}RID=hello!/id`, refused(400)),
    ),
    example(239, get(`${animal}weight=NaN/id`, ids())),
  ],
};

const byEnclosure = `${animal}id,enclosure_id,weight@sort(enclosure_id,weight::desc::)`;
const byEnclosureBack = `${animal}id,enclosure_id,weight@sort(enclosure_id::desc::,weight,id)`;

/** spec/catalog-data.md 11.8, reading: sort and paging */
export const morePaging: Section = {
  title: '11.8 further sorts and pages',
  examples: [
    example(240, get(byEnclosure, idsInOrder(4, 1, 2, 3, 5))),
    example(
      241,
      get(`${byEnclosure}@after(1,190.5)`, idsInOrder(2, 3, 5)),
      get(`${byEnclosure}@after(1,::null::)`, idsInOrder(1, 2, 3, 5)),
      get(`${byEnclosure}@after(2,12.25)`, idsInOrder(5)),
    ),
    example(
      242,
      get(`${byEnclosure}@before(::null::,7)?limit=2`, idsInOrder(2, 3)),
      get(`${byEnclosure}@before(1,80)?limit=9`, idsInOrder(4, 1)),
    ),
    example(243, get(byEnclosureBack, idsInOrder(5, 3, 2, 1, 4))),
    example(
      244,
      get(`${byEnclosureBack}@after(::null::,7,5)`, idsInOrder(3, 2, 1, 4)),
      get(`${byEnclosureBack}@after(1,190.5,1)`, idsInOrder(4)),
    ),
    example(
      245,
      get(`${byEnclosureBack}@before(1,::null::,4)?limit=2`, idsInOrder(2, 1)),
      get(`${byEnclosureBack}@after(2,12.25,3)@before(1,::null::,4)?limit=1`, idsInOrder(2)),
    ),
    example(
      246,
      get(`${animal}id,name@sort(name)@before(::null::)?limit=2`, idsInOrder(2, 3)),
      get(`${animal}id,name@sort(name::desc::)@before(::null::)?limit=3`, idsInOrder()),
      get(`${animal}id,name@sort(name)@before()?limit=3`, idsInOrder()),
      get(`${animal}id,name@sort(name::desc::)@before(Asha)?limit=2`, idsInOrder(3, 2)),
    ),
    example(
      247,
      get(`${species}id,tags@sort(tags,id)`, idsInOrder(3, 2, 1, 4)),
      get(`${species}id,tags@sort(tags,id)@after(%7Bbird%7D,2)`, idsInOrder(1, 4)),
      get(`${species}id,tags@sort(tags,id)@after(%5B%22bird%22%5D,2)`, idsInOrder(1, 4)),
    ),
    example(
      248,
      get(`${species}id,info@sort(info,id)`, idsInOrder(4, 1, 3, 2)),
      get(`${species}id,info@sort(info,id)@after(null,4)`, idsInOrder(1, 3, 2)),
      get(`${species}id,info@sort(info::desc::,id)@after(::null::,2)`, idsInOrder(3, 1, 4)),
    ),
    example(
      249,
      get(`${animal}id,b:=bin(weight;4;0;100)@sort(b,id)`, idsInOrder(4, 3, 5, 2, 1)),
      get(`${animal}id,b:=bin(weight;4;0;100)@sort(b,id)@after(%5B1%2C0%2C25%5D,5)`, idsInOrder(2, 1)),
    ),
    example(
      250,
      getEach(ids(1, 2, 3, 4, 5), `${animal}id@sort(id)`, '?limit=NONE', '?limit=', '?LIMIT=1'),
      get(`${animal}id@sort(id)?limit=0`, ids()),
      get(`${animal}id@sort(id)?limit=1.5`, refused(400)),
    ),
    example(
      251,
      get(`${animal}id@SORT(id)@AFTER(4)`, ids(5)),
      get(`${animal}id@sort(id)@before(5)@after(3)`, ids(4)),
      getEach(refused(400), `${animal}id@sort(id)`, '@sort(id)', '@after(1)@after(3)'),
    ),
  ],
};

/** spec/catalog-data.md 11.8, reading: buckets, arrays in CSV */
export const moreValues: Section = {
  title: '11.8 further values: bin, arrays in CSV',
  examples: [
    example(
      252,
      get(
        'attribute/zoo:enclosure/id,b:=bin(opened;2;2000-01-01;2010-01-01)@sort(id)',
        rows(
          { id: 1, b: [1, '2000-01-01T00:00:00', '2004-12-31T12:00:00'] },
          { id: 2, b: [3, '2010-01-01', null] },
          { id: 3, b: [null, null, null] },
        ),
      ),
    ),
    example(
      253,
      get(
        `${animal}id=1/b:=bin(born;1;2015-01-01;2016-01-01)`,
        column('b', [1, '2015-01-01T00:00:00+00:00', '2016-01-01T00:00:00+00:00']),
      ),
    ),
    example(
      254,
      get(
        'attributegroup/zoo:animal/b:=bin(weight;2;50;100);n:=cnt(*),lo:=min(weight)@sort(b)',
        rows(
          { b: [null, null, null], n: 1, lo: null },
          { b: [0, null, 50], n: 2, lo: 7 },
          { b: [2, 75, 100], n: 1, lo: 80 },
          { b: [3, 100, null], n: 1, lo: 190.5 },
        ),
      ),
    ),
    example(
      255,
      get(
        `${animal}id,b:=bin(id;2;2;5)@sort(id)`,
        rows(
          { id: 1, b: [0, null, 2] },
          { id: 2, b: [1, 2, 3.5] },
          { id: 3, b: [1, 2, 3.5] },
          { id: 4, b: [2, 3.5, 5] },
          { id: 5, b: [3, 5, null] },
        ),
      ),
    ),
    example(256, get(`${animal}id=1/bin(weight;3;200;0)`, refused(400))),
    example(
      259,
      get(
        'attributegroup/zoo:species/legs;x:=array(tags),y:=max(tags),n:=cnt(info)@sort(legs)?accept=csv',
        csvOneOf(speciesByLegs('"[[""cat"", ""big""], null]"'), speciesByLegs('"[null, [""cat"", ""big""]]"')),
      ),
    ),
    example(
      260,
      get(
        'attributegroup/zoo:species/legs;x:=array(id),y:=max(tags)@sort(legs)?accept=csv&arrays=json',
        csvOneOf(
          ['legs,x,y', '0,[3],[]', '2,[2],"[""bird""]"', '4,"[1, 4]","[""cat"",""big""]"'],
          ['legs,x,y', '0,[3],[]', '2,[2],"[""bird""]"', '4,"[4, 1]","[""cat"",""big""]"'],
        ),
      ),
    ),
    partOf(
      261,
      'renamed scalar column',
      get(`${species}x:=id@sort(x)?accept=csv&arrays=json`, csv('x', '1', '2', '3', '4')),
    ),
    partOf(
      261,
      'sorted by an array',
      get(
        `${species}id,tags@sort(tags,id)?accept=csv&arrays=json`,
        csv('id,tags', '3,[]', '2,"[""bird""]"', '1,"[""cat"",""big""]"', '4,'),
      ),
    ),
  ],
};

function speciesByLegs(fourLegged: string): readonly string[] {
  return ['legs,x,y,n', '0,[[]],{},1', '2,"[[""bird""]]",{bird},0', `4,${fourLegged},"{cat,big}",2`];
}
