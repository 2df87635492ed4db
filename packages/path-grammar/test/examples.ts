import type { DataMethod } from '../src/index.js';

/**
 * Every URL of the worked examples, spec/catalog-data.md 11.2 to 11.8, by example number, relative to the catalog.
 * Row ids in angle brackets there are replaced by made-up ones; "same" and "..." are written out. A mutation whose URL
 * an earlier example has already (the bodies differ) is not repeated.
 *
 * parses   the URL is good syntax; an error the example shows comes later (names, types, data, rights)
 * syntax   400 while parsing
 * query    parses, and is refused when the parameters are read for the method: 400
 * unknown  404 while parsing
 */
export interface Example {
  readonly example: number;
  /** GET unless given. */
  readonly method?: DataMethod;
  readonly parses?: readonly string[];
  readonly syntax?: readonly string[];
  readonly query?: readonly string[];
  readonly unknown?: readonly string[];
}

const SORTED = 'attribute/zoo:animal/id,name@sort(id)';
const PAGED = 'attribute/zoo:animal/id,enclosure_id,weight@sort(enclosure_id,weight::desc::)';
const MIRRORED = 'attribute/zoo:animal/id,enclosure_id,weight@sort(enclosure_id::desc::,weight,id)';
const VALUES_OF_8000_BYTES = Array.from({ length: 1590 }, (_, index) => 1000 + index).join(',');

export const EXAMPLES: readonly Example[] = [
  // 11.2 Roots, filters
  { example: 1, parses: ['entity/zoo:species@sort(id)'] },
  { example: 2, parses: ['attribute/zoo:species/id,code@sort(id)'] },
  { example: 3, parses: ['attribute/species/id@sort(id)'] },
  { example: 4, parses: ['entity/animal'] },
  { example: 5, parses: ['entity/nosuch', 'entity/zoo:nosuch', 'entity/nosuch:species'] },
  { example: 6, parses: ['entity/a:b:c'] },
  { example: 7, syntax: ['entity', 'entity/', 'entity/zoo:species/'] },
  { example: 8, parses: ['attribute/zoo:animal/species_id=1/id@sort(id)'] },
  { example: 9, parses: ['attribute/zoo:animal/species_id=1/weight::lt::100/id'] },
  { example: 10, parses: ['attribute/zoo:animal/name=/id'] },
  { example: 11, parses: ['attribute/zoo:animal/name::null::/id'] },
  { example: 12, parses: ['attribute/zoo:animal/!name::null::/id@sort(id)'] },
  { example: 13, parses: ['attribute/zoo:animal/!name=Bo/id@sort(id)'] },
  { example: 14, parses: ['attribute/zoo:animal/weight::gt::12.25/id@sort(id)'] },
  { example: 15, parses: ['attribute/zoo:animal/weight::geq::12.25&weight::leq::80/id@sort(id)'] },
  { example: 16, parses: ['attribute/zoo:animal/species_id=1&name=Bo;id=5/id@sort(id)'] },
  { example: 17, parses: ['attribute/zoo:animal/(species_id=1;species_id=2)&enclosure_id=1/id@sort(id)'] },
  { example: 18, parses: ['attribute/zoo:animal/!(species_id=1;species_id=2)/id'] },
  { example: 19, parses: ['attribute/zoo:animal/(species_id=1)&(!name=Bo)/id'] },
  { example: 20, parses: ['attribute/zoo:animal/name::regexp::%5EA/id'] },
  { example: 21, parses: ['attribute/zoo:animal/name::ciregexp::O%24/id@sort(id)'] },
  { example: 22, parses: ['attribute/zoo:animal/*::ciregexp::cleo/id'] },
  { example: 23, parses: ['attribute/zoo:animal/*::ciregexp::all(cleo,12.25)/id'] },
  { example: 24, parses: ['attribute/zoo:animal/born::regexp::T11/id'] },
  { example: 25, parses: ['attribute/zoo:animal/name::ts::asha/id'] },
  { example: 26, parses: ['attribute/zoo:animal/id=any(1,3,9)/id@sort(id)'] },
  { example: 27, parses: ['attribute/zoo:animal/id=all(1,3)/id'] },
  { example: 28, parses: ['attribute/zoo:animal/name=ANY(Bo,)/id@sort(id)'] },
  { example: 29, parses: ['attribute/zoo:species/tags=cat/id'] },
  { example: 30, parses: ['attribute/zoo:species/!tags=cat/id@sort(id)'] },
  { example: 31, parses: ['attribute/zoo:species/tags=any(cat,bird)/id@sort(id)'] },
  { example: 32, parses: ['attribute/zoo:species/tags=all(cat,big)/id'] },
  { example: 33, parses: ['attribute/zoo:species/tags::gt::c/id'] },
  { example: 34, parses: ['attribute/zoo:species/!tags::gt::c/id'] },
  { example: 35, parses: ['attribute/zoo:species/info=%7B%22diet%22%3A%22meat%22%7D/id'] },
  { example: 36, parses: ['attribute/zoo:species/info::null::/id'] },
  { example: 37, parses: ['attribute/zoo:animal/born=2015-03-11T11%3A32%3A56.12Z/id'] },
  { example: 38, parses: ['attribute/zoo:animal/id=99999999999999999999/id'] },
  { example: 39, parses: ['entity/zoo:animal/id=abc', 'entity/zoo:animal/id=', 'entity/zoo:animal/id=1.5'] },
  { example: 40, parses: ['entity/zoo:animal/born=notadate'] },
  { example: 41, parses: ['entity/zoo:animal/nosuch=1'] },
  { example: 42, parses: ['entity/zoo:animal/X:id=1'] },
  { example: 43, parses: ['entity/zoo:animal/zoo:animal:id=1'] },
  { example: 44, parses: ['entity/zoo:animal/*=x', 'entity/zoo:animal/*::null::'] },
  {
    example: 45,
    syntax: ['entity/zoo:animal/id=(1,2)', 'entity/zoo:animal/id=some(1)', 'entity/zoo:animal/id=any(any(1))'],
  },
  {
    example: 46,
    syntax: [
      'entity/zoo:animal/id=1,2',
      'entity/zoo:animal/!!id=1',
      'entity/zoo:animal/id!=1',
      'entity/zoo:animal/(id=1',
      'entity/zoo:animal/id=1&',
    ],
  },
  { example: 47, syntax: ['entity/zoo:animal/born=2015-03-11T11:32:56'] },
  {
    example: 48,
    syntax: ['entity/zoo:animal/name::GT::1', 'entity/zoo:animal/name::foo::1', 'entity/zoo:animal/name=::null::'],
  },
  {
    example: 49,
    syntax: ['entity/zoo:animal/name=a+b', "entity/zoo:animal/name='x'", 'entity/zoo:animal/name=50%'],
  },
  { example: 50, parses: ['attribute/A:=zoo:animal/A:id=1/A:name'] },
  { example: 51, parses: ['entity/zoo:animal/RID=1x140'] },
  { example: 52, parses: ['entity/zoo:heavy@sort(id)'] },

  // 11.3 Links
  { example: 53, parses: ['attribute/zoo:species/zoo:animal/id@sort(id)'] },
  { example: 54, parses: ['attribute/zoo:animal/zoo:species/id@sort(id)'] },
  { example: 55, parses: ['entity/zoo:animal/zoo:animal'] },
  { example: 56, parses: ['entity/zoo:species/zoo:enclosure'] },
  { example: 57, parses: ['attribute/zoo:animal/(mother_id)/id'] },
  { example: 58, parses: ['attribute/zoo:animal/(zoo:animal:mother_id)/id'] },
  { example: 59, parses: ['attribute/C:=zoo:animal/M:=(mother_id)/child:=C:name,mother:=M:name'] },
  { example: 60, parses: ['entity/zoo:animal/(id)'] },
  { example: 61, parses: ['entity/zoo:animal/(name)'] },
  { example: 62, parses: ['attribute/zoo:enclosure/zoo:transfer/id@sort(id)'] },
  { example: 63, parses: ['aggregate/zoo:enclosure/zoo:transfer/n:=cnt(*)'] },
  { example: 64, parses: ['attribute/zoo:enclosure/(zoo:transfer:to_id)/id@sort(id)'] },
  { example: 65, parses: ['attribute/zoo:enclosure/name=Savanna/(zoo:transfer:from_id)/id'] },
  { example: 66, parses: ['attribute/zoo:transfer/(from_id)/id@sort(id)'] },
  { example: 67, parses: ['attribute/zoo:enclosure/(id)=(zoo:transfer:from_id)/id@sort(id)'] },
  { example: 68, parses: ['attribute/zoo:species/(code)=(zoo:enclosure:name)/id'] },
  {
    example: 69,
    parses: ['aggregate/E:=zoo:enclosure/(id)=(zoo:animal:enclosure_id)/r:=cnt(*),a:=cnt(id),e:=cnt_d(E:id)'],
  },
  {
    example: 70,
    parses: ['aggregate/E:=zoo:enclosure/left(id)=(zoo:animal:enclosure_id)/r:=cnt(*),a:=cnt(id),e:=cnt_d(E:id)'],
  },
  {
    example: 71,
    parses: ['aggregate/E:=zoo:enclosure/right(id)=(zoo:animal:enclosure_id)/r:=cnt(*),a:=cnt(id),e:=cnt_d(E:id)'],
  },
  {
    example: 72,
    parses: ['aggregate/E:=zoo:enclosure/full(id)=(zoo:animal:enclosure_id)/r:=cnt(*),a:=cnt(id),e:=cnt_d(E:id)'],
  },
  {
    example: 73,
    parses: ['aggregate/E:=zoo:enclosure/left(id)=(zoo:animal:enclosure_id)/id::null::/e:=array(E:name)'],
  },
  { example: 74, syntax: ['entity/zoo:enclosure/LEFT(id)=(zoo:animal:enclosure_id)'] },
  { example: 75, syntax: ['entity/zoo:enclosure/(id)=(zoo:animal:enclosure_id,species_id)'] },
  { example: 76, parses: ['entity/zoo:enclosure/(id)=(name)'] },
  { example: 77, parses: ['entity/zoo:enclosure/(name)=(zoo:animal:enclosure_id)'] },
  { example: 78, parses: ['attribute/zoo:census/zoo:census_note/id@sort(id)'] },
  { example: 79, parses: ['attribute/zoo:census_note/(yr,site)/site,yr,num@sort(yr)'] },
  { example: 80, parses: ['entity/zoo:census_note/(site)'] },
  { example: 81, parses: ['attribute/E:=zoo:enclosure/zoo:animal/weight::gt::100/$E/id,name'] },
  {
    example: 82,
    parses: ['attribute/A:=zoo:animal/S:=zoo:species/$A/E:=zoo:enclosure/$A/id,sp:=S:code,en:=E:name@sort(id)'],
  },
  {
    example: 83,
    parses: ['entity/E:=zoo:enclosure/$F', 'entity/zoo:species/$species'],
    syntax: ['entity/E:=zoo:enclosure/$zoo:E'],
  },
  { example: 84, parses: ['entity/A:=zoo:enclosure/A:=zoo:animal'] },
  { example: 85, syntax: ['entity/zoo:enclosure/A:=id=1', 'entity/$A', 'entity/A:=B:=zoo:species'] },
  { example: 86, parses: ['attribute/zoo:animal/A:=zoo:species/A:tags=cat/zoo:animal/id@sort(id)'] },

  // 11.4 Projections, groups, aggregates
  { example: 87, parses: ['attribute/zoo:species/legs@sort(legs)'] },
  { example: 88, parses: ['attributegroup/zoo:species/legs@sort(legs)'] },
  { example: 89, parses: ['attribute/zoo:species/x:=id,id@sort(id)'] },
  { example: 90, parses: ['attribute/A:=zoo:animal/zoo:species/A:id,id'] },
  { example: 91, parses: ['attribute/zoo:species/*,id'] },
  { example: 92, parses: ['attribute/A:=zoo:enclosure/A:*@sort(A%3Aid)'] },
  { example: 93, syntax: ['attribute/A:=zoo:enclosure/A:*@sort(A:id)'] },
  { example: 94, parses: ['attribute/zoo:species/x:=*'] },
  { example: 95, parses: ['attribute/zoo:species/X:id', 'attribute/zoo:species/zoo:species:id'] },
  { example: 96, parses: ['attribute/zoo:species/nosuch'] },
  {
    example: 97,
    syntax: ['attribute/zoo:species', 'attribute/zoo:species/id;name', 'attribute/zoo:species/n:=cnt(id)'],
  },
  {
    example: 98,
    parses: ['attributegroup/zoo:animal/enclosure_id;n:=cnt(*),m:=max(weight)@sort(enclosure_id)'],
  },
  { example: 99, parses: ['attributegroup/zoo:animal/enclosure_id;n:=cnt(*)@sort(n::desc::,enclosure_id)'] },
  { example: 100, parses: ['attributegroup/zoo:animal/E:=zoo:enclosure/E:name;n:=cnt(*)@sort(name)'] },
  { example: 101, parses: ['attributegroup/zoo:animal/enclosure_id=2/enclosure_id;name'] },
  { example: 102, syntax: ['attributegroup/zoo:animal/enclosure_id;cnt(*)'] },
  {
    example: 103,
    syntax: [
      'attributegroup/zoo:animal',
      'attributegroup/zoo:animal/;n:=cnt(*)',
      'attributegroup/zoo:animal/id;',
      'attributegroup/zoo:animal/n:=cnt(id)',
    ],
  },
  { example: 104, parses: ['attributegroup/zoo:animal/enclosure_id;n:=cnt(*)@sort(weight)'] },
  { example: 105, parses: ['attributegroup/zoo:animal/b:=bin(weight;4;0;100);n:=cnt(*)@sort(b)'] },
  { example: 106, parses: ['attributegroup/zoo:species/b:=bin(legs;2;0;4);n:=cnt(*)@sort(b)'] },
  { example: 107, parses: ['attribute/zoo:animal/bin(name;2;0;4)'] },
  {
    example: 108,
    parses: ['attribute/zoo:animal/bin(weight;0;0;4)', 'attribute/zoo:animal/bin(weight;2;5;5)'],
    syntax: ['attribute/zoo:animal/bin(weight;2)'],
  },
  {
    example: 109,
    parses: [
      'aggregate/zoo:animal/n:=cnt(*),c:=cnt(name),s:=cnt_d(species_id),lo:=min(weight),hi:=max(weight),av:=avg(weight),sm:=sum(weight)',
    ],
  },
  { example: 110, parses: ['aggregate/zoo:animal/a:=array(species_id),d:=array_d(species_id)'] },
  { example: 111, parses: ['aggregate/zoo:animal/id=99/n:=cnt(*),a:=array(id),t:=sum(weight)'] },
  { example: 112, parses: ['aggregate/zoo:enclosure/id=3/r:=array(*)'] },
  { example: 113, parses: ['aggregate/zoo:species/s:=sum(legs),v:=avg(legs),t:=max(tags)'] },
  { example: 114, parses: ['aggregate/zoo:species/id=2/name'] },
  { example: 115, parses: ['aggregate/zoo:species/x:=min(info)', 'aggregate/zoo:species/x:=sum(name)'] },
  {
    example: 116,
    parses: ['aggregate/zoo:species/x:=cnt_d(*)'],
    syntax: [
      'aggregate/zoo:species/x:=median(id)',
      'aggregate/zoo:species/x:=cnt()',
      'aggregate/zoo:species/x:=CNT(id)',
    ],
  },
  { example: 117, syntax: ['aggregate/zoo:species/n:=cnt(*)@sort(n)'] },
  { example: 118, parses: ['attributegroup/zoo:bare/value;x:=tcrs(RID)'] },
  { example: 119, parses: ['attributegroup/zoo:species/id;x:=trs(id)'] },

  // 11.5 Sort, paging, limit
  { example: 120, parses: ['attribute/zoo:animal/id,name@sort(name,id)'] },
  { example: 121, parses: ['attribute/zoo:animal/id,name@sort(name::desc::)'] },
  { example: 122, parses: ['attribute/zoo:animal/id,weight@sort(weight::desc::)'] },
  { example: 123, parses: ['attribute/zoo:animal/id,name@sort(name)@after(Asha)'] },
  { example: 124, parses: ['attribute/zoo:animal/id,name@sort(name)@after()'] },
  { example: 125, parses: ['attribute/zoo:animal/id,name@sort(name)@after(::null::)'] },
  { example: 126, parses: ['attribute/zoo:animal/id,name@sort(name)@before(Cleo)?limit=1'] },
  { example: 127, parses: ['attribute/zoo:animal/id,name@sort(name)@before(Cleo)?limit=10'] },
  { example: 128, query: ['attribute/zoo:animal/id,name@sort(name)@before(Cleo)'] },
  { example: 129, parses: ['attribute/zoo:animal/id,name@sort(name)@after(Asha)@before(::null::)'] },
  { example: 130, parses: ['attribute/zoo:animal/id,weight@sort(weight::desc::)@after(::null::)'] },
  { example: 131, parses: ['attribute/zoo:animal/id,weight@sort(weight::desc::)@before(80)?limit=9'] },
  {
    example: 132,
    parses: ['attribute/zoo:animal/id@sort(id)@after(x)'],
    syntax: ['attribute/zoo:animal/id,name@after(Asha)', 'attribute/zoo:animal/id,name@sort(name,id)@after(Asha)'],
  },
  { example: 133, parses: ['attribute/zoo:animal/id@sort(id)?limit=2'] },
  {
    example: 134,
    parses: [
      'attribute/zoo:animal/id@sort(id)?limit=none',
      'attribute/zoo:animal/id@sort(id)',
      'attribute/zoo:animal/id@sort(id)?limit',
    ],
  },
  { example: 135, parses: ['attribute/zoo:animal/id?limit=0'] },
  {
    example: 136,
    query: [
      'attribute/zoo:animal/id?limit=x',
      'attribute/zoo:animal/id?limit=-1',
      'attribute/zoo:animal/id?limit=1&limit=2',
    ],
  },
  { example: 137, parses: ['attribute/zoo:animal/id@sort(nosuch)', 'entity/zoo:animal@sort(nosuch)'] },

  // 11.6 Formats and headers
  { example: 138, parses: [SORTED] },
  { example: 139, parses: [SORTED] },
  { example: 140, parses: [SORTED] },
  { example: 141, parses: [SORTED] },
  { example: 142, parses: [`${SORTED}?accept=csv`, `${SORTED}?accept=text%2Fcsv`] },
  { example: 143, parses: [`${SORTED}?accept=xml`] },
  { example: 144, syntax: [`${SORTED}?accept=text/csv`] },
  { example: 145, parses: ['attribute/zoo:animal/id=99/id'] },
  { example: 146, parses: ['attribute/zoo:species/id,tags@sort(id)?accept=csv'] },
  { example: 147, parses: ['attribute/zoo:species/id,tags@sort(id)?accept=csv&arrays=json'] },
  { example: 148, parses: ['attribute/zoo:species/id,info@sort(id)?accept=csv'] },
  { example: 149, parses: ['attribute/zoo:animal/id=1/id,born'] },
  { example: 150, parses: ['entity/zoo:bare?download=My%20File'] },
  { example: 151, parses: ['entity/zoo:animal'] },
  { example: 152, parses: ['entity/zoo:animal'] },
  { example: 153, method: 'HEAD', parses: ['entity/zoo:animal', 'entity/nosuch'] },
  { example: 154, method: 'POST', parses: ['attribute/zoo:animal/id'] },
  { example: 154, method: 'PUT', parses: ['aggregate/zoo:animal/n:=cnt(*)'] },
  { example: 154, method: 'DELETE', parses: ['attributegroup/zoo:animal/id'] },
  { example: 155, parses: ['entity/T'] },

  // 11.7 Mutations
  { example: 156, method: 'POST', parses: ['entity/zoo:species'] },
  { example: 158, method: 'POST', parses: ['entity/zoo:species?onconflict=skip'] },
  { example: 159, method: 'POST', query: ['entity/zoo:species?onconflict=foo'] },
  { example: 166, method: 'POST', parses: ['entity/zoo:animal'] },
  { example: 171, method: 'POST', parses: ['entity/zoo:transfer?defaults=id'] },
  { example: 172, method: 'POST', parses: ['entity/zoo:transfer'] },
  { example: 173, method: 'POST', parses: ['entity/zoo:bare'] },
  { example: 174, method: 'POST', parses: ['entity/zoo:bare?defaults=value'] },
  { example: 175, method: 'POST', parses: ['entity/zoo:species?defaults=nosuch'] },
  { example: 176, method: 'POST', parses: ['entity/zoo:bare?nondefaults=RID'] },
  { example: 178, method: 'POST', parses: ['entity/public:Catalog_RID_Lease'] },
  { example: 179, method: 'POST', parses: ['entity/zoo:bare?nondefaults=RMT'] },
  { example: 180, method: 'POST', parses: ['entity/zoo:animal/id=1', 'entity/zoo:species/zoo:animal'] },
  { example: 181, method: 'POST', parses: ['entity/zoo:heavy'] },
  { example: 183, method: 'PUT', parses: ['entity/zoo:enclosure'] },
  { example: 187, method: 'PUT', parses: ['entity/zoo:bare'] },
  { example: 189, method: 'PUT', parses: ['attributegroup/zoo:animal/id;weight'] },
  { example: 192, method: 'PUT', parses: ['attributegroup/zoo:species/old:=code;new:=code'] },
  { example: 193, method: 'PUT', parses: ['attributegroup/zoo:animal/enclosure_id;weight'] },
  {
    example: 195,
    method: 'PUT',
    parses: [
      'attributegroup/zoo:animal/id',
      'attributegroup/zoo:animal/id;n:=cnt(*)',
      'attributegroup/zoo:animal/id;weight,weight',
      'attributegroup/zoo:animal/id;id',
    ],
  },
  { example: 196, method: 'PUT', parses: ['attributegroup/zoo:animal/id;RMT'] },
  {
    example: 197,
    method: 'PUT',
    parses: ['attributegroup/A:=zoo:animal/id;A:weight', 'attributegroup/A:=zoo:animal/A:id;weight'],
  },
  { example: 198, method: 'DELETE', parses: ['entity/zoo:transfer/day::lt::2017-01-01'] },
  { example: 199, method: 'DELETE', parses: ['entity/zoo:transfer/id=99'] },
  { example: 200, method: 'DELETE', parses: ['entity/zoo:enclosure/id=1'] },
  { example: 201, method: 'DELETE', parses: ['entity/zoo:animal/name=Cleo/zoo:transfer'] },
  { example: 202, method: 'DELETE', parses: ['entity/E:=zoo:enclosure/(zoo:transfer:to_id)/id=3/$E'] },
  { example: 203, method: 'DELETE', parses: ['attribute/zoo:animal/id=1/weight,born'] },
  { example: 204, method: 'DELETE', parses: ['attribute/zoo:bare/value'] },
  { example: 205, method: 'DELETE', parses: ['attribute/zoo:animal/id=1/id'] },
  { example: 206, method: 'DELETE', parses: ['attribute/zoo:animal/id=1/RMT', 'attribute/zoo:animal/id=1/RID'] },
  { example: 207, method: 'DELETE', parses: ['attribute/A:=zoo:animal/id=1/A:weight'] },
  { example: 208, method: 'DELETE', parses: ['attribute/zoo:enclosure/id=3/name'] },
  { example: 209, method: 'DELETE', query: ['entity/zoo:transfer?limit=1', 'entity/zoo:transfer@sort(id)'] },
  { example: 213, parses: ['entity_rid/1-X140'] },
  { example: 214, parses: ['entity_rid/1-X142', 'entity/zoo:transfer/RID=1-X142'] },
  { example: 215, parses: ['entity_rid/ZZZZ-ZZZY'] },

  // 11.8 Further constructs that clients send
  { example: 216, parses: ['aggregate/A:=zoo:animal/zoo:species/n:=cnt(A:*),m:=cnt(*),d:=cnt_d(A:id)'] },
  { example: 217, parses: ['aggregate/E:=zoo:enclosure/left(id)=(zoo:animal:enclosure_id)/E:id=3/x:=array(*)'] },
  {
    example: 218,
    parses: [
      'attributegroup/M:=zoo:enclosure/A:=left(id)=(zoo:animal:enclosure_id)/$M/M:id;c:=cnt_d(A:RID),a:=array_d(A:name)@sort(id)',
    ],
  },
  {
    example: 219,
    parses: [
      'attributegroup/M:=zoo:animal/F1:=left(species_id)=(zoo:species:id)/$M/M:id;F1:=array_d(F1:*),M:name@sort(id)?limit=1',
    ],
  },
  { example: 220, parses: ['attribute/M:=zoo:animal/id=1/M:*,id'] },
  { example: 221, parses: ['attribute/A:=zoo:animal/id=1/A:*,*'] },
  {
    example: 222,
    parses: [
      'attribute/A:=zoo:animal/id=1/A:RID,RID',
      'attribute/zoo:species/x:=id,x:=code',
      'attributegroup/zoo:animal/id;id:=cnt(*)',
      'attributegroup/zoo:enclosure/id;*',
      'aggregate/zoo:animal/n:=cnt(*),n:=cnt(id)',
    ],
  },
  { example: 223, parses: ['attribute/M:=zoo:animal/zoo:species/$M/rid:=M:RID,M:id@sort(id)?limit=1'] },
  {
    example: 224,
    parses: [
      'attribute/M:=zoo:animal/S:=left(species_id)=(zoo:species:id)/$M/E:=left(enclosure_id)=(zoo:enclosure:id)/$M/id,S:code,en:=E:name@sort(code::desc::,id)@after(LEO,1)?limit=2',
    ],
  },
  {
    example: 225,
    parses: [
      'attribute/M:=zoo:animal/S:=left(species_id)=(zoo:species:id)/E:=left(M:enclosure_id)=(zoo:enclosure:id)/$M/id,S:code,en:=E:name@sort(code,id)',
    ],
  },
  { example: 226, parses: ['attribute/M:=zoo:animal/S:=left(species_id)=(zoo:species:id)/S:RID::null::/$M/id'] },
  {
    example: 227,
    parses: [
      'attribute/M:=zoo:animal/F1:=left(species_id)=(zoo:species:id)/$M/F2:=left(enclosure_id)=(zoo:enclosure:id)/$M/id=5/M:id,F1:code,F2:*',
    ],
  },
  { example: 228, parses: ['attribute/zoo:animal/left(species_id)/code@sort(code)'] },
  { example: 229, parses: ['attribute/A:=zoo:animal/zoo:enclosure/(A:species_id)/code@sort(code)'] },
  {
    example: 230,
    parses: ['attributegroup/zoo:transfer/T:=zoo:animal/F:=zoo:enclosure/$T/enclosure_id;n:=cnt(*)@sort(enclosure_id)'],
  },
  {
    example: 231,
    parses: [
      'attributegroup/M:=zoo:animal/!(enclosure_id::null::)/v:=enclosure_id;count:=cnt_d(M:RID)@sort(count::desc::,v)?limit=11',
    ],
  },
  {
    example: 232,
    parses: ['aggregate/M:=zoo:animal/S:=left(species_id)=(zoo:species:id)/S:code=any(LEO,BOA)/$M/num:=cnt_d(M:RID)'],
  },
  {
    example: 233,
    parses: [
      'attribute/zoo:animal/*::ciregexp::any(cleo,bo)/id@sort(id)',
      'attribute/M:=zoo:animal/*::ciregexp::a/*::ciregexp::h/$M/id',
    ],
  },
  { example: 234, parses: ['attribute/A:=zoo:animal/zoo:species/A:*::ciregexp::cleo/id'] },
  {
    example: 235,
    parses: ['attribute/zoo:species/*::ciregexp::bird/id', 'attribute/zoo:species/*::regexp::%22len%22/id'],
  },
  {
    example: 236,
    parses: [
      'attribute/zoo:species/tags=any()/id',
      'attribute/zoo:species/tags=all()/id',
      'attribute/zoo:species/!tags=any(cat,bird)/id',
      'attribute/zoo:species/tags::leq::bird/id@sort(id)',
      'attribute/zoo:species/tags::regexp::any(ir,ig)/id@sort(id)',
    ],
  },
  {
    example: 237,
    parses: [
      'attribute/zoo:animal/name=any()/id',
      'attribute/zoo:animal/id=any()/id',
      'attribute/zoo:animal/id=any(1,,2)/id',
    ],
  },
  {
    example: 238,
    parses: ['attribute/zoo:animal/!RID=U/id@sort(id)', 'attribute/zoo:animal/RID=any(U,1-X140)/id'],
    syntax: ['attribute/zoo:animal/RID=hello!/id'],
  },
  { example: 239, parses: ['attribute/zoo:animal/weight=NaN/id'] },
  { example: 240, parses: [PAGED] },
  {
    example: 241,
    parses: [`${PAGED}@after(1,190.5)`, `${PAGED}@after(1,::null::)`, `${PAGED}@after(2,12.25)`],
  },
  { example: 242, parses: [`${PAGED}@before(::null::,7)?limit=2`, `${PAGED}@before(1,80)?limit=9`] },
  { example: 243, parses: [MIRRORED] },
  { example: 244, parses: [`${MIRRORED}@after(::null::,7,5)`, `${MIRRORED}@after(1,190.5,1)`] },
  {
    example: 245,
    parses: [`${MIRRORED}@before(1,::null::,4)?limit=2`, `${MIRRORED}@after(2,12.25,3)@before(1,::null::,4)?limit=1`],
  },
  {
    example: 246,
    parses: [
      'attribute/zoo:animal/id,name@sort(name)@before(::null::)?limit=2',
      'attribute/zoo:animal/id,name@sort(name::desc::)@before(::null::)?limit=3',
      'attribute/zoo:animal/id,name@sort(name)@before()?limit=3',
      'attribute/zoo:animal/id,name@sort(name::desc::)@before(Asha)?limit=2',
    ],
  },
  {
    example: 247,
    parses: [
      'attribute/zoo:species/id,tags@sort(tags,id)',
      'attribute/zoo:species/id,tags@sort(tags,id)@after(%7Bbird%7D,2)',
      'attribute/zoo:species/id,tags@sort(tags,id)@after(%5B%22bird%22%5D,2)',
    ],
  },
  {
    example: 248,
    parses: [
      'attribute/zoo:species/id,info@sort(info,id)',
      'attribute/zoo:species/id,info@sort(info,id)@after(null,4)',
      'attribute/zoo:species/id,info@sort(info::desc::,id)@after(::null::,2)',
    ],
  },
  {
    example: 249,
    parses: [
      'attribute/zoo:animal/id,b:=bin(weight;4;0;100)@sort(b,id)',
      'attribute/zoo:animal/id,b:=bin(weight;4;0;100)@sort(b,id)@after(%5B1%2C0%2C25%5D,5)',
    ],
  },
  {
    example: 250,
    parses: [
      'attribute/zoo:animal/id@sort(id)?limit=NONE',
      'attribute/zoo:animal/id@sort(id)?limit=',
      'attribute/zoo:animal/id@sort(id)?limit=0',
      'attribute/zoo:animal/id@sort(id)?LIMIT=1',
    ],
    query: ['attribute/zoo:animal/id@sort(id)?limit=1.5'],
  },
  {
    example: 251,
    parses: ['attribute/zoo:animal/id@SORT(id)@AFTER(4)', 'attribute/zoo:animal/id@sort(id)@before(5)@after(3)'],
    syntax: ['attribute/zoo:animal/id@sort(id)@sort(id)', 'attribute/zoo:animal/id@sort(id)@after(1)@after(3)'],
  },
  { example: 252, parses: ['attribute/zoo:enclosure/id,b:=bin(opened;2;2000-01-01;2010-01-01)@sort(id)'] },
  { example: 253, parses: ['attribute/zoo:animal/id=1/b:=bin(born;1;2015-01-01;2016-01-01)'] },
  { example: 254, parses: ['attributegroup/zoo:animal/b:=bin(weight;2;50;100);n:=cnt(*),lo:=min(weight)@sort(b)'] },
  { example: 255, parses: ['attribute/zoo:animal/id,b:=bin(id;2;2;5)@sort(id)'] },
  { example: 256, parses: ['attribute/zoo:animal/id=1/bin(weight;3;200;0)'] },
  { example: 257, parses: ['aggregate/zoo:animal/id=99/n:=cnt(*),m:=max(id),a:=array(id)'] },
  {
    example: 258,
    parses: ['entity/zoo:animal/id=99?accept=csv', 'attributegroup/zoo:animal/id=99/id;n:=cnt(*)?accept=csv'],
  },
  {
    example: 259,
    parses: ['attributegroup/zoo:species/legs;x:=array(tags),y:=max(tags),n:=cnt(info)@sort(legs)?accept=csv'],
  },
  {
    example: 260,
    parses: ['attributegroup/zoo:species/legs;x:=array(id),y:=max(tags)@sort(legs)?accept=csv&arrays=json'],
  },
  {
    example: 261,
    parses: [
      'attribute/zoo:species/x:=id@sort(x)?accept=csv&arrays=json',
      'attribute/zoo:species/id,tags@sort(tags,id)?accept=csv&arrays=json',
    ],
  },
  { example: 262, parses: ['attribute/zoo:species/id=1/x%2Cy:=id,%22:=code?accept=csv'] },
  {
    example: 263,
    query: [
      'attribute/zoo:animal/id=1/id?accept=csv&accept=json',
      'attribute/zoo:animal/id=1/id?download=a,b',
      'attribute/zoo:animal/id=1/id?limit=1,2',
    ],
  },
  { example: 265, parses: ['attribute/zoo:species/id::gt::9/id,tags@sort(id)'] },
  { example: 269, method: 'POST', parses: ['entity/zoo:species?defaults=name,legs&onconflict=skip'] },
  { example: 270, method: 'POST', parses: ['entity/zoo:species?defaults=name,legs&nondefaults=legs,nosuch'] },
  { example: 271, method: 'POST', parses: ['entity/zoo:bare?nondefaults=RID&onconflict=skip'] },
  { example: 272, method: 'POST', parses: ['entity/zoo:bare?nondefaults=RID'] },
  {
    example: 273,
    method: 'POST',
    parses: ['entity/zoo:bare?nondefaults=RID,RCT,RCB', 'entity/zoo:bare?nondefaults=RMB'],
  },
  {
    example: 274,
    method: 'POST',
    parses: ['entity/zoo:species?onconflict=SKIP', 'entity/zoo:species?onconflict=skip'],
    query: ['entity/zoo:species?onconflict='],
  },
  { example: 276, method: 'PUT', parses: ['entity/zoo:animal'] },
  { example: 277, method: 'PUT', parses: ['entity/zoo:census'] },
  {
    example: 279,
    method: 'PUT',
    parses: [
      'entity/zoo:enclosure?limit=1',
      'entity/zoo:enclosure?defaults=id',
      'entity/zoo:enclosure?onconflict=skip',
    ],
  },
  { example: 280, method: 'PUT', parses: ['attributegroup/zoo:species/RID;name'] },
  { example: 281, method: 'PUT', parses: ['attributegroup/zoo:species/old:=code,legs;new:=code,nm:=name'] },
  { example: 282, method: 'PUT', parses: ['attributegroup/zoo:animal/id;weight,name'] },
  { example: 283, method: 'PUT', parses: ['attributegroup/zoo:census_note/yr;note'] },
  { example: 284, method: 'PUT', parses: ['attributegroup/zoo:species/id;new:=id'] },
  {
    example: 285,
    method: 'DELETE',
    parses: ['entity/zoo:bare', 'entity/zoo:animal/id=99', 'attribute/zoo:animal/id=99/name'],
  },
  {
    example: 286,
    method: 'DELETE',
    parses: ['entity/zoo:animal/id=x', 'entity/nosuch', 'entity/zoo:heavy', 'entity/zoo:transfer'],
  },
  {
    example: 287,
    method: 'DELETE',
    parses: [
      'attribute/zoo:animal/id=1/x:=weight',
      'attribute/zoo:animal/id=1/weight,weight',
      'attribute/zoo:animal/id=1/bin(weight;1;0;2)',
      'attribute/zoo:animal/id=1/nosuch',
      'attribute/zoo:animal/id=1/*',
    ],
  },
  { example: 288, method: 'DELETE', parses: ['attribute/zoo:enclosure/zoo:animal/id=1/born'] },
  { example: 291, parses: ['entity/zoo:animal'] },
  {
    example: 292,
    parses: ['entity_rid/1x140', 'entity_rid/UUU'],
    unknown: ['entity_rid/', 'entity_rid/a/b'],
  },
  {
    example: 295,
    parses: [`entity/zoo:animal/id=any(${VALUES_OF_8000_BYTES})`, `entity/zoo:animal?x=${VALUES_OF_8000_BYTES}`],
  },
  {
    example: 296,
    parses: [
      'entity/zoo:animal/id=1',
      'attribute/zoo:animal/id=1/*',
      'attribute/zoo:animal/weight=80/id',
      'aggregate/zoo:animal/x:=cnt(weight)',
      'aggregate/zoo:animal/x:=array(*)',
      'attribute/zoo:animal/id=1/id,name',
      'aggregate/zoo:animal/n:=cnt(*)',
    ],
  },
  { example: 297, parses: ['attribute/zoo:animal/*::regexp::190/id'] },
  { example: 298, parses: ['attribute/zoo:animal/id=1/weight', 'attribute/zoo:animal/weight=80/id'] },
  {
    example: 298,
    method: 'POST',
    parses: ['entity/zoo:animal?defaults=weight', 'entity/zoo:animal?nondefaults=weight'],
  },
  { example: 299, method: 'POST', parses: ['entity/zoo:animal?defaults=name'] },
  {
    example: 300,
    method: 'PUT',
    parses: ['attributegroup/zoo:animal/id;name', 'attributegroup/zoo:animal/id;born'],
  },
  { example: 300, method: 'DELETE', parses: ['attribute/zoo:animal/id=1/name'] },
  { example: 301, method: 'DELETE', parses: ['entity/zoo:animal/id=999'] },
];

/** Example 294, and the forms around it: what stands behind `/catalog/`. */
export const CATALOG_TARGETS: readonly { target: string; cid: string; revision: string | null }[] = [
  { target: '1/entity/zoo:bare', cid: '1', revision: null },
  { target: '1@2/entity/zoo:bare', cid: '1', revision: '2' },
  { target: '1@UUU/entity/zoo:bare', cid: '1', revision: 'UUU' },
  { target: 'my%20zoo@ZZZ-ZZZZ-ZZZZ/entity/zoo:bare?limit=1', cid: 'my zoo', revision: 'ZZZ-ZZZZ-ZZZZ' },
];
