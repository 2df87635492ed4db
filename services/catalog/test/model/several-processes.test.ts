import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

/** Two services over one registry: what processes of one deployment do to each other. */
describe('several processes', () => {
  let one: CatalogFixture;
  let other: CatalogFixture;

  beforeAll(async () => {
    one = await startCatalog();
    other = await startCatalog({ registryUrl: one.registryUrl });
  });
  afterAll(async () => {
    await other.close();
    await one.close();
  });

  it('one of many creations of the same id wins, the others are conflicts', async () => {
    const answers = await Promise.all(
      [one, other, one, other, one].map((process) => process.request('alice', 'POST', '/catalog', { id: 'same' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect((await other.request('alice', 'GET', '/catalog/same')).status).toBe(200);
  });

  it('creations without an id all get one of their own', async () => {
    const answers = await Promise.all(
      [one, other, one, other, one, other].map((process) => process.request('alice', 'POST', '/catalog')),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(6);
  });

  it('a change of one is seen by the other at its next request', async () => {
    const path = await one.createCatalog();
    for (let round = 0; round < 20; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
      expect((await reader.request('alice', 'GET', `${path}/schema/s${round}`)).status).toBe(404);
      const made = await writer.request('alice', 'POST', `${path}/schema/s${round}`);
      expect(made.status).toBe(201);
      const read = await reader.request('alice', 'GET', `${path}/schema/s${round}`);
      expect([read.status, read.headers.get('etag')]).toEqual([200, made.headers.get('etag')]);
    }
  });

  const rows = { 'content-type': 'application/json' };

  it('data requests of one go by the model the other has just made', async () => {
    const path = await one.createCatalog();
    const column = (name: string) => ({ name, type: 'text' });
    await one.request('alice', 'POST', `${path}/schema/s`);
    const made = await one.request('alice', 'POST', `${path}/schema/s/table`, {
      table_name: 't0',
      column_definitions: [column('a')],
    });
    expect(made.status).toBe(200);
    const posted = await other.request('alice', 'POST', `${path}/entity/s:t0`, [{ a: 'x' }], rows);
    const rid = String((posted.json as { RID: string }[])[0]?.RID);
    for (let round = 0; round < 10; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
      // both know the model by now, so what follows is answered by the model known last, or would be
      for (const process of [one, other])
        expect((await process.request('alice', 'GET', `${path}/entity/s:t${round}`)).status).toBe(200);
      const renamed = await writer.request('alice', 'PUT', `${path}/schema/s/table/t${round}`, {
        table_name: `t${round + 1}`,
      });
      expect(renamed.status).toBe(200);
      const gone = await reader.request('alice', 'GET', `${path}/entity/s:t${round}`);
      const found = await reader.request('alice', 'GET', `${path}/entity/s:t${round + 1}`);
      const place = await reader.request('alice', 'GET', `${path}/entity_rid/${rid}`);
      expect([gone.status, found.status, place.json]).toEqual([
        409,
        200,
        { RID: rid, schema_name: 's', table_name: `t${round + 1}` },
      ]);
      const written = await writer.request(
        'alice',
        'PUT',
        `${path}/attributegroup/s:t${round + 1}/RID;a`,
        [{ RID: rid, a: `x${round}` }],
        rows,
      );
      expect(written.status).toBe(200);
    }
  });

  it('a row is found by its RID while its table is renamed again and again', async () => {
    const path = await one.createCatalog();
    await one.request('alice', 'POST', `${path}/schema/s`);
    await one.request('alice', 'POST', `${path}/schema/s/table`, {
      table_name: 't0',
      column_definitions: [{ name: 'a', type: 'text' }],
    });
    const posted = await one.request('alice', 'POST', `${path}/entity/s:t0`, [{ a: 'x' }], rows);
    const rid = String((posted.json as { RID: string }[])[0]?.RID);
    for (let round = 0; round < 20; round += 1) {
      const target = `${path}/entity_rid/${rid}`;
      const body = { table_name: `t${round + 1}` };
      const renamed = one.request('alice', 'PUT', `${path}/schema/s/table/t${round}`, body);
      // those that wait for the change find that the name they ask for is gone
      const looking = Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          await new Promise((resolve) => setTimeout(resolve, index * 3));
          return (index % 2 === 0 ? one : other).request('alice', 'GET', target);
        }),
      );
      expect((await renamed).status).toBe(200);
      for (const { status, text } of await looking) expect([text, status]).toEqual([text, 200]);
    }
  });

  it('a right given or taken by one counts for data requests of the other at once', async () => {
    const path = await one.createCatalog();
    await one.request('alice', 'PUT', `${path}/acl`, { owner: ['alice'], enumerate: ['*'] });
    await one.request('alice', 'POST', `${path}/schema/s`);
    await one.request('alice', 'POST', `${path}/schema/s/table`, {
      table_name: 't',
      column_definitions: [{ name: 'a', type: 'text' }],
    });
    for (let round = 0; round < 6; round += 1) {
      expect((await other.request('bob', 'GET', `${path}/entity/s:t`)).status).toBe(403);
      await one.request('alice', 'PUT', `${path}/acl/select`, ['bob']);
      expect((await other.request('bob', 'GET', `${path}/entity/s:t`)).status).toBe(200);
      await one.request('alice', 'PUT', `${path}/acl/select`, []);
    }
  });

  it('changes at the same time all happen, each once', async () => {
    const path = await one.createCatalog();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        (index % 2 === 0 ? one : other).request('alice', 'POST', `${path}/schema/s${index % 12}`),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(12);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(12);
    const { json } = await other.request('alice', 'GET', `${path}/schema`);
    const { schemas } = json as { schemas: Record<string, { tables: object }> };
    expect(Object.keys(schemas)).toHaveLength(13);
    const snapshots = await one.query(path.slice('/catalog/'.length), 'select from _catalog.snap where model');
    expect(snapshots).toHaveLength(13);
  });

  it('a deletion by one is a 404 of the other, also while it holds connections', async () => {
    const path = await one.createCatalog();
    await Promise.all(Array.from({ length: 4 }, () => other.request('alice', 'GET', `${path}/schema`)));
    expect((await one.request('alice', 'DELETE', path)).status).toBe(204);
    expect((await other.request('alice', 'GET', `${path}/schema`)).status).toBe(404);
    const id = path.slice('/catalog/'.length);
    expect((await one.request('alice', 'POST', '/catalog', { id })).status).toBe(201);
    expect((await other.request('alice', 'GET', path)).status).toBe(200);
  });

  it('an alias that is bound anew by one leads the other to the new catalog', async () => {
    const first = (await one.createCatalog()).slice('/catalog/'.length);
    const second = (await one.createCatalog()).slice('/catalog/'.length);
    await one.request('alice', 'POST', '/alias', { id: 'moving', alias_target: first });
    expect((await other.request('alice', 'GET', '/catalog/moving')).json).toMatchObject({ alias_target: first });
    await one.request('alice', 'PUT', '/alias/moving', { alias_target: second });
    expect((await other.request('alice', 'GET', '/catalog/moving')).json).toMatchObject({ alias_target: second });
  });
});
