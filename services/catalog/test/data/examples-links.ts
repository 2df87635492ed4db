import { example, get, getEach, type Section } from './example.js';
import { ids, refused, rows } from './expectations.js';

/** spec/catalog-data.md 11.3 */
export const links: Section = {
  title: '11.3 links',
  examples: [
    example(53, get('attribute/zoo:species/zoo:animal/id@sort(id)', ids(1, 2, 3, 4))),
    example(54, get('attribute/zoo:animal/zoo:species/id@sort(id)', ids(1, 2, 3))),
    example(55, get('entity/zoo:animal/zoo:animal', refused(409))),
    example(56, get('entity/zoo:species/zoo:enclosure', refused(409))),
    example(57, get('attribute/zoo:animal/(mother_id)/id', ids(1))),
    example(58, get('attribute/zoo:animal/(zoo:animal:mother_id)/id', ids(2))),
    example(
      59,
      get('attribute/C:=zoo:animal/M:=(mother_id)/child:=C:name,mother:=M:name', rows({ child: 'Bo', mother: 'Asha' })),
    ),
    example(60, get('entity/zoo:animal/(id)', refused(409))),
    example(61, get('entity/zoo:animal/(name)', refused(409))),
    example(62, get('attribute/zoo:enclosure/zoo:transfer/id@sort(id)', ids(1, 2, 3))),
    example(63, get('aggregate/zoo:enclosure/zoo:transfer/n:=cnt(*)', rows({ n: 5 }))),
    example(64, get('attribute/zoo:enclosure/(zoo:transfer:to_id)/id@sort(id)', ids(1, 2, 3))),
    example(65, get('attribute/zoo:enclosure/name=Savanna/(zoo:transfer:from_id)/id', ids(2))),
    example(66, get('attribute/zoo:transfer/(from_id)/id@sort(id)', ids(1, 2))),
    example(67, get('attribute/zoo:enclosure/(id)=(zoo:transfer:from_id)/id@sort(id)', ids(1, 2))),
    example(68, get('attribute/zoo:species/(code)=(zoo:enclosure:name)/id', ids())),
    example(69, get(counts(''), rows({ r: 4, a: 4, e: 2 }))),
    example(70, get(counts('left'), rows({ r: 5, a: 4, e: 3 }))),
    example(71, get(counts('right'), rows({ r: 5, a: 5, e: 2 }))),
    example(72, get(counts('full'), rows({ r: 6, a: 5, e: 3 }))),
    example(
      73,
      get(
        'aggregate/E:=zoo:enclosure/left(id)=(zoo:animal:enclosure_id)/id::null::/e:=array(E:name)',
        rows({ e: ['Empty'] }),
      ),
    ),
    example(74, get('entity/zoo:enclosure/LEFT(id)=(zoo:animal:enclosure_id)', refused(400))),
    example(75, get('entity/zoo:enclosure/(id)=(zoo:animal:enclosure_id,species_id)', refused(400))),
    example(76, get('entity/zoo:enclosure/(id)=(name)', refused(409))),
    example(77, get('entity/zoo:enclosure/(name)=(zoo:animal:enclosure_id)', refused(409))),
    example(78, get('attribute/zoo:census/zoo:census_note/id@sort(id)', ids(1, 2))),
    example(
      79,
      get(
        'attribute/zoo:census_note/(yr,site)/site,yr,num@sort(yr)',
        rows({ site: 'N', yr: 2020, num: 5 }, { site: 'N', yr: 2021, num: 6 }),
      ),
    ),
    example(80, get('entity/zoo:census_note/(site)', refused(409))),
    example(
      81,
      get('attribute/E:=zoo:enclosure/zoo:animal/weight::gt::100/$E/id,name', rows({ id: 1, name: 'Savanna' })),
    ),
    example(
      82,
      get(
        'attribute/A:=zoo:animal/S:=zoo:species/$A/E:=zoo:enclosure/$A/id,sp:=S:code,en:=E:name@sort(id)',
        rows(
          { id: 1, sp: 'LEO', en: 'Savanna' },
          { id: 2, sp: 'LEO', en: 'Savanna' },
          { id: 3, sp: 'BOA', en: 'Reptile House' },
          { id: 4, sp: 'EMU', en: 'Savanna' },
        ),
      ),
    ),
    example(
      83,
      getEach(refused(400), 'entity/', 'E:=zoo:enclosure/$F', 'zoo:species/$species', 'E:=zoo:enclosure/$zoo:E'),
    ),
    example(84, get('entity/A:=zoo:enclosure/A:=zoo:animal', refused(400))),
    example(85, getEach(refused(400), 'entity/', 'zoo:enclosure/A:=id=1', '$A', 'A:=B:=zoo:species')),
    example(86, get('attribute/zoo:animal/A:=zoo:species/A:tags=cat/zoo:animal/id@sort(id)', ids(1, 2))),
  ],
};

function counts(join: string): string {
  return `aggregate/E:=zoo:enclosure/${join}(id)=(zoo:animal:enclosure_id)/r:=cnt(*),a:=cnt(id),e:=cnt_d(E:id)`;
}
