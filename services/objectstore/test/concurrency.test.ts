import { sql } from '@holdfast/pg-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestStore, type TestStore } from './test-store.js';

const NS = { 'Content-Type': 'application/x-objstore-namespace' };

describe('writers at the same time', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore({ overrides: { deleteNonEmptyNamespace: 'bulk' } });
  });
  afterAll(() => store.close());
  const alice = (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });

  it('of a name that must be new: one wins', async () => {
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(
        ['left', 'right'].map((body) => alice('PUT', `/os/new${round}`, body, { 'If-None-Match': '*' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 412]);
      const winner = answers.findIndex(({ status }) => status === 201);
      expect((await alice('GET', `/os/new${round}`)).text).toBe(['left', 'right'][winner]);
    }
  });

  it('of one name: every version is there, in one order', async () => {
    const count = 24;
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) => alice('PUT', '/os/many', `body ${index}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 201));
    const versions: string[] = JSON.parse((await alice('GET', '/os/many;versions')).text);
    expect([...versions].sort()).toEqual(answers.map(({ headers }) => headers.location).sort());
    const bodies = await Promise.all(versions.map(async (version) => (await alice('GET', version)).text));
    expect(new Set(bodies).size).toBe(count);
    expect((await alice('GET', '/os/many')).headers['content-location']).toBe(versions[0]);
    const rows = await store.database.withConnection(null, (connection) =>
      connection.query<{ seq: string }>(
        sql`select seq from os_version v join os_name n on n.id = v.name_id where n.path = '/many' order by seq`,
      ),
    );
    expect(rows.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  it('of one update each: If-Match lets one through', async () => {
    const first = await alice('PUT', '/os/cas', 'v1');
    const etag = first.headers.etag ?? '';
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => alice('PUT', '/os/cas', `v2 ${index}`, { 'If-Match': etag })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
  });

  it('that make the same parents: everybody gets a place', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => alice('PUT', `/os/deep/er/est/o${index}?parents=true`, 'x')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 201));
    expect(JSON.parse((await alice('GET', '/os/deep/er/est')).text)).toHaveLength(12);
  });

  it('of a namespace and an object of one name: one of them, and a clear answer for the other', async () => {
    for (let round = 0; round < 10; round += 1) {
      const target = `/os/either${round}`;
      const [namespace, object] = await Promise.all([alice('PUT', target, undefined, NS), alice('PUT', target, 'x')]);
      // an object that was first is updated by nothing: a namespace request that meets an object needs a length
      expect([namespace.status, object.status]).toEqual(
        namespace.status === 201 ? [201, 409] : [expect.any(Number), 201],
      );
      if (object.status === 201) expect([409, 411]).toContain(namespace.status);
    }
  });

  it('below a namespace that is being deleted: no child outlives it', async () => {
    for (let round = 0; round < 10; round += 1) {
      await alice('PUT', `/os/doomed${round}/in?parents=true`, undefined, NS);
      const [gone, ...made] = await Promise.all([
        alice('DELETE', `/os/doomed${round}`),
        ...Array.from({ length: 4 }, (_, index) => alice('PUT', `/os/doomed${round}/in/o${index}`, 'x')),
      ]);
      expect(gone.status).toBe(204);
      for (const { status } of made) expect([201, 404, 409]).toContain(status);
      const left = await store.database.withConnection(null, (connection) =>
        connection.query(
          sql`select n.path from os_name n left join os_version v on v.name_id = n.id
              where n.path like ${`/doomed${round}/%`} and (n.deleted_at is null or v.state = 'live')`,
        ),
      );
      expect(left).toEqual([]);
    }
  });

  it('below a namespace that is being deleted: a child made while the deletion waited goes too', async () => {
    await alice('PUT', '/os/waited/in?parents=true', undefined, NS);
    // what a PUT does: the key-share lock on the parent, then the child
    const deleting = await store.database.transaction({}, async (connection) => {
      await connection.query(sql`select from os_name where path = '/waited/in' for key share`);
      const answer = alice('DELETE', '/os/waited');
      await untilSomebodyWaits(store);
      await connection.execute(sql`insert into os_name (parent_id, ancestors, path, kind, acl_owner)
        select id, ancestors || id, path || '/late', 'namespace', '{alice}' from os_name where path = '/waited/in'`);
      return { answer };
    });
    expect((await deleting.answer).status).toBe(204);
    expect((await alice('GET', '/os/waited/in/late')).status).toBe(404);
  });

  it('of one list: no entry is lost', async () => {
    await alice('PUT', '/os/listed', 'x');
    await Promise.all(Array.from({ length: 12 }, (_, index) => alice('PUT', `/os/listed;acl/read/role${index}`)));
    expect(JSON.parse((await alice('GET', '/os/listed;acl/read')).text)).toHaveLength(12);
  });
});

async function untilSomebodyWaits(store: TestStore): Promise<void> {
  for (;;) {
    const waiting = await store.database.withConnection(null, (connection) =>
      connection.query(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`,
      ),
    );
    if (waiting.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
