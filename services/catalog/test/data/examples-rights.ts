import { expect } from '@jest/globals';
import { json, type SendOptions, type Zoo } from '../support/zoo.js';
import { type Section, story } from './example.js';
import { onlyRow } from './expectations.js';
import { grant } from './grants.js';
import { rowsOf } from './raw-client.js';

const animal = 'schema/zoo/table/animal';

/** spec/catalog-data.md 11.8, clients with fewer rights */
export const rights: Section = {
  title: '11.8 rights',
  examples: [
    story(296, 'a column that may be seen but not read', async (zoo) => {
      await grant(zoo, { acl: ['enumerate', 'select'], [`${animal}/column/weight/acl`]: ['select=nobody'] });
      for (const target of [
        'entity/zoo:animal/id=1',
        'attribute/zoo:animal/id=1/*',
        'attribute/zoo:animal/weight=80/id',
        'aggregate/zoo:animal/x:=cnt(weight)',
        'aggregate/zoo:animal/x:=array(*)',
      ]) {
        expect([target, await statusFor(zoo, 'GET', target)]).toStrictEqual([target, 403]);
      }
      const named = await zoo.send('GET', 'attribute/zoo:animal/id=1/id,name', { as: 'bob' });
      expect(rowsOf(named)).toStrictEqual([{ id: 1, name: 'Asha' }]);
      const counted = await zoo.send('GET', 'aggregate/zoo:animal/n:=cnt(*)', { as: 'bob' });
      expect(rowsOf(counted)).toStrictEqual([{ n: 5 }]);
    }),
    story(297, 'text search passes over a column that may not be read', async (zoo) => {
      await grant(zoo, { acl: ['enumerate', 'select'], [`${animal}/column/weight/acl`]: ['select=nobody'] });
      const found = await zoo.send('GET', 'attribute/zoo:animal/*::regexp::190/id', { as: 'bob' });
      expect(rowsOf(found)).toStrictEqual([]);
      expect(rowsOf(await zoo.send('GET', 'attribute/zoo:animal/*::regexp::190/id'))).toStrictEqual([{ id: 1 }]);
    }),
    story(298, 'a column that may not be seen', async (zoo) => {
      await grant(zoo, {
        acl: ['enumerate', 'select', 'insert'],
        [`${animal}/column/weight/acl`]: ['enumerate=nobody'],
      });
      const seen = await zoo.send('GET', 'entity/zoo:animal/id=1', { as: 'bob' });
      expect(seen.status).toBe(200);
      expect(Object.keys(onlyRow(rowsOf(seen)))).not.toContain('weight');
      expect(await statusFor(zoo, 'GET', 'attribute/zoo:animal/id=1/weight')).toBe(409);
      expect(await statusFor(zoo, 'GET', 'attribute/zoo:animal/weight=80/id')).toBe(409);
      const body = json([{ id: 9, weight: 5 }]);
      expect(await statusFor(zoo, 'POST', 'entity/zoo:animal?defaults=weight', { body })).toBe(409);
      expect(await statusFor(zoo, 'POST', 'entity/zoo:animal?nondefaults=weight', { body })).toBe(200);
      expect(rowsOf(await zoo.send('GET', 'attribute/zoo:animal/id=9/id,weight'))).toStrictEqual([
        { id: 9, weight: null },
      ]);
    }),
    story(299, 'a column that may not be inserted', async (zoo) => {
      const rights = ['enumerate', 'select', 'insert', 'update'];
      await grant(zoo, { acl: rights, [`${animal}/column/name/acl`]: ['insert=nobody'] });
      const body = json([{ id: 9, name: 'Ix' }]);
      expect(await statusFor(zoo, 'POST', 'entity/zoo:animal', { body })).toBe(403);
      expect(await statusFor(zoo, 'POST', 'entity/zoo:animal?defaults=name', { body })).toBe(200);
      expect(await statusFor(zoo, 'PUT', 'entity/zoo:animal', { body })).toBe(200);
      expect(await statusFor(zoo, 'PUT', 'entity/zoo:animal', { body: json([{ id: 10, name: 'Yo' }]) })).toBe(403);
    }),
    story(300, 'a column that may not be updated', async (zoo) => {
      await grant(zoo, { acl: ['enumerate', 'select', 'update'], [`${animal}/column/name/acl`]: ['update=nobody'] });
      expect(await statusFor(zoo, 'PUT', 'entity/zoo:animal', { body: json([{ id: 1, name: 'Ix' }]) })).toBe(403);
      const name = json([{ id: 1, name: 'Ix' }]);
      expect(await statusFor(zoo, 'PUT', 'attributegroup/zoo:animal/id;name', { body: name })).toBe(403);
      const born = json([{ id: 1, born: '2015-03-12T00:00:00Z' }]);
      expect(await statusFor(zoo, 'PUT', 'attributegroup/zoo:animal/id;born', { body: born })).toBe(200);
      expect(await statusFor(zoo, 'DELETE', 'attribute/zoo:animal/id=1/name')).toBe(403);
      const told = await zoo.send('GET', 'attributegroup/zoo:animal/id=1/id;x:=tcrs(RID)', { as: 'bob' });
      expect(onlyRow(rowsOf(told))).toMatchObject({
        x: { update: true, delete: false, column_update: { name: false, born: true, RMT: false } },
      });
    }),
    story(301, 'no right to delete', async (zoo) => {
      await grant(zoo, { acl: ['enumerate', 'select'] });
      expect(await statusFor(zoo, 'DELETE', 'entity/zoo:animal/id=999')).toBe(403);
    }),
    story(301, 'a right to delete own rows only', async (zoo) => {
      await grant(zoo, { acl: ['enumerate', 'select', 'insert'] });
      const own = { types: ['delete'], projection: ['RCB'], projection_type: 'acl' };
      const bound = await zoo.send('PUT', `${animal}/acl_binding/own_rows`, { body: json(own) });
      expect(bound.status).toBeLessThan(300);
      expect(await statusFor(zoo, 'POST', 'entity/zoo:animal', { body: json([{ id: 9 }]) })).toBe(200);
      expect(await statusFor(zoo, 'DELETE', 'entity/zoo:animal/id=any(5,9)')).toBe(403);
      const left = await zoo.send('GET', 'attribute/zoo:animal/id=any(5,9)/id@sort(id)');
      expect(rowsOf(left)).toStrictEqual([{ id: 5 }, { id: 9 }]);
      expect(await statusFor(zoo, 'DELETE', 'entity/zoo:animal/id=9')).toBe(204);
    }),
  ],
};

async function statusFor(zoo: Zoo, method: string, target: string, options: SendOptions = {}): Promise<number> {
  return (await zoo.send(method, target, { as: 'bob', ...options })).status;
}
