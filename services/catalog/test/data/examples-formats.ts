import { wireProfile } from '@holdfast/http-kit';
import { expect } from '@jest/globals';
import { json, type SendOptions } from '../support/zoo.js';
import { del, example, get, getEach, post, put, type Section, type Step, story } from './example.js';
import { csv, ids, inType, jsonStream, ok, refused, rows } from './expectations.js';

const names = 'attribute/zoo:animal/id,name@sort(id)';
const namesAsCsv = csv('id,name', '1,Asha', '2,Bo', '3,Cleo', '4,""', '5,');
const nothing = 'attribute/zoo:animal/id=99/id';

/** spec/catalog-data.md 11.6 */
export const formats: Section = {
  title: '11.6 formats and headers',
  examples: [
    example(138, get(names, namesAsCsv, accept('text/csv'))),
    example(
      139,
      get(
        names,
        jsonStream(
          '{"id":1,"name":"Asha"}',
          '{"id":2,"name":"Bo"}',
          '{"id":3,"name":"Cleo"}',
          '{"id":4,"name":""}',
          '{"id":5,"name":null}',
        ),
        accept('application/x-json-stream'),
      ),
    ),
    example(140, acceptEach(names, {}, accept('*/*'), accept('image/png'))),
    example(141, acceptEach(names, accept('text/csv;q=0.1, application/json'))),
    example(
      142,
      ['?accept=csv', '?accept=text%2Fcsv'].flatMap((parameter) => [
        get(`${names}${parameter}`, namesAsCsv),
        get(`${names}${parameter}`, namesAsCsv, accept('application/json')),
      ]),
    ),
    example(143, get(`${names}?accept=xml`, namesAsCsv, accept('text/csv'))),
    example(144, get(`${names}?accept=text/csv`, refused(400))),
    example(
      145,
      get(nothing, csv('id'), accept('text/csv')),
      get(
        nothing,
        ok((answer) => expect(answer.text).toBe('[]\n')),
      ),
      get(nothing, jsonStream(), accept('application/x-json-stream')),
    ),
    example(
      146,
      get(
        'attribute/zoo:species/id,tags@sort(id)?accept=csv',
        csv('id,tags', '1,"{cat,big}"', '2,{bird}', '3,{}', '4,'),
      ),
    ),
    example(
      147,
      get(
        'attribute/zoo:species/id,tags@sort(id)?accept=csv&arrays=json',
        csv('id,tags', '1,"[""cat"",""big""]"', '2,"[""bird""]"', '3,[]', '4,'),
      ),
    ),
    example(
      148,
      get(
        'attribute/zoo:species/id,info@sort(id)?accept=csv',
        csv('id,info', '1,"{""diet"": ""meat""}"', '2,', '3,"{""len"": 3, ""diet"": ""meat""}"', '4,null'),
      ),
    ),
    example(
      149,
      get('attribute/zoo:animal/id=1/id,born', rows({ id: 1, born: '2015-03-11T11:32:56.12+00:00' })),
      get('attribute/zoo:animal/id=1/id,born?accept=csv', csv('id,born', '1,2015-03-11 11:32:56.12+00')),
    ),
    example(
      150,
      get(
        'entity/zoo:bare?download=My%20File',
        ok((answer) =>
          expect(answer.headers['content-disposition']).toBe("attachment; filename*=UTF-8''My%20File.json"),
        ),
      ),
    ),
    story(151, 'preconditions that do not hold on GET', async (zoo) => {
      const { etag = '' } = (await zoo.send('GET', 'entity/zoo:animal')).headers;
      const ask = async (name: string, value: string) =>
        (await zoo.send('GET', 'entity/zoo:animal', { headers: { [name]: value } })).status;
      expect(await ask('if-none-match', etag)).toBe(304);
      expect(await ask('if-none-match', '*')).toBe(304);
      expect(await ask('if-match', '"x"')).toBe(wireProfile(zoo.profile).failedIfMatchOnRead);
    }),
    story(152, 'preconditions that hold on GET', async (zoo) => {
      const { etag = '' } = (await zoo.send('GET', 'entity/zoo:animal')).headers;
      const ask = async (name: string, value: string) =>
        (await zoo.send('GET', 'entity/zoo:animal', { headers: { [name]: value } })).status;
      expect(await ask('if-match', '*')).toBe(200);
      expect(await ask('if-match', `"x", ${etag}`)).toBe(200);
      expect(await ask('if-none-match', '"x"')).toBe(200);
    }),
    story(153, 'HEAD', async (zoo) => {
      const head = await zoo.send('HEAD', 'entity/zoo:animal');
      expect(head.status).toBe(200);
      expect(head.text).toBe('');
      expect(head.headers.etag).toBe((await zoo.send('GET', 'entity/zoo:animal')).headers.etag);
      expect((await zoo.send('HEAD', 'entity/nosuch')).status).toBe(409);
    }),
    example(
      154,
      post('attribute/zoo:animal/id', json([]), refused(405)),
      put('aggregate/zoo:animal/n:=cnt(*)', json([]), refused(405)),
      del('attributegroup/zoo:animal/id', refused(405)),
    ),
    example(
      155,
      get((zoo) => `${zoo.path.replace(/[^/]*$/, 'nosuch')}/entity/T`, refused(404)),
    ),
  ],
};

/** spec/catalog-data.md 11.8, formats of answers */
export const moreFormats: Section = {
  title: '11.8 further formats',
  examples: [
    example(
      257,
      get('aggregate/zoo:animal/id=99/n:=cnt(*),m:=max(id),a:=array(id)', rows({ n: 0, m: null, a: null })),
      get('aggregate/zoo:animal/id=99/n:=cnt(*),m:=max(id),a:=array(id)', csv('n,m,a', '0,,'), accept('text/csv')),
      get(
        'aggregate/zoo:animal/id=99/n:=cnt(*),m:=max(id),a:=array(id)',
        jsonStream('{"n":0,"m":null,"a":null}'),
        accept('application/x-json-stream'),
      ),
    ),
    example(
      258,
      get(
        'entity/zoo:animal/id=99?accept=csv',
        csv('RID,RCT,RMT,RCB,RMB,id,name,species_id,enclosure_id,mother_id,weight,born'),
      ),
      get('attributegroup/zoo:animal/id=99/id;n:=cnt(*)?accept=csv', csv('id,n')),
    ),
    example(262, get('attribute/zoo:species/id=1/x%2Cy:=id,%22:=code?accept=csv', csv('"x,y",""""', '1,LEO'))),
    example(
      263,
      getEach(refused(400), 'attribute/zoo:animal/id=1/id', '?accept=csv&accept=json', '?download=a,b', '?limit=1,2'),
    ),
    example(
      264,
      get(names, inType('text/csv'), accept('text/csv, application/json')),
      get(names, inType('application/json'), accept('text/csv;q=0.5,application/json;q=0.9')),
      get(names, inType('text/csv'), accept('text/*')),
      get(names, inType('application/json'), accept('text/csv;q=x')),
    ),
    example(
      295,
      get(() => longPath(8000), ids(1)),
      get(() => `attribute/zoo:animal/id=1/id?cid=${'x'.repeat(8000 - 'cid='.length)}`, ids(1)),
    ),
  ],
};

/** A target relative to the catalog of this many bytes which finds animal 1. */
function longPath(bytes: number): string {
  const [start, end] = ['attribute/zoo:animal/id=any(1', ')/id'];
  const room = bytes - start.length - end.length;
  return `${start}${',901'.repeat(Math.floor(room / 4))}${end}`;
}

function accept(value: string): SendOptions {
  return { headers: { accept: value } };
}

function acceptEach(target: string, ...options: readonly SendOptions[]): readonly Step[] {
  return options.map((option) => get(target, inType('application/json'), option));
}
