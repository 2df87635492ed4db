import {
  type ListHolder,
  MODES_OF_KIND,
  type Mode,
  OBJECT_STORE_GRANTS,
  type ObjectStoreOperation,
} from '@holdfast/acl';
import { identifier, sql } from '@holdfast/pg-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listColumn } from '../src/directory/columns.js';
import { openTestStore, type TestStore } from './test-store.js';

/**
 * spec/objectstore.md 4.3 as a matrix: every list of every resource on the way, alone, opens exactly the operations of its rows.
 * The tree is `/os` (root) / `n` (namespace) / `o` (object, one version) and `/os/n/e` (empty namespace).
 */
interface Probe {
  readonly operation: ObjectStoreOperation;
  readonly line: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Which of the tree is N, O, V of the row; the others are above it. */
  readonly own: Readonly<Partial<Record<ListHolder, PlaceName>>>;
  readonly done: number;
}

const NS = { 'Content-Type': 'application/x-objstore-namespace' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const object = { object: 'o' } as const;
const version = { object: 'o', version: 'v' } as const;

const probes: readonly Probe[] = [
  { operation: 'list-namespace', line: 'GET /os/n', own: { namespace: 'n' }, done: 200 },
  { operation: 'list-namespace', line: 'HEAD /os/n', own: { namespace: 'n' }, done: 200 },
  { operation: 'create-child', line: 'PUT /os/n/new', headers: NS, own: { namespace: 'n' }, done: 201 },
  { operation: 'create-child', line: 'PUT /os/n/new', body: 'x', own: { namespace: 'n' }, done: 201 },
  { operation: 'create-child', line: 'PUT /os/n/p/new?parents=true', body: 'x', own: { namespace: 'n' }, done: 201 },
  { operation: 'delete-namespace', line: 'DELETE /os/n/e', own: { namespace: 'e' }, done: 204 },
  { operation: 'read-namespace-acl', line: 'GET /os/n;acl', own: { namespace: 'n' }, done: 200 },
  { operation: 'read-namespace-acl', line: 'GET /os/n;acl/read', own: { namespace: 'n' }, done: 200 },
  { operation: 'change-namespace-acl', line: 'PUT /os/n;acl/read/x', own: { namespace: 'n' }, done: 204 },
  { operation: 'add-version', line: 'PUT /os/n/o', body: 'x', own: object, done: 201 },
  { operation: 'list-versions', line: 'GET /os/n/o;versions', own: object, done: 200 },
  { operation: 'read-version', line: 'GET /os/n/o', own: version, done: 200 },
  { operation: 'read-version', line: 'HEAD /os/n/o:{v}', own: version, done: 200 },
  { operation: 'read-version', line: 'GET /os/n/o;metadata', own: version, done: 200 },
  { operation: 'read-version', line: 'GET /os/n/o:{v};metadata/content-type', own: version, done: 200 },
  {
    operation: 'change-metadata',
    line: 'PUT /os/n/o;metadata/content-type',
    headers: { 'Content-Type': 'text/plain' },
    body: 'a/b',
    own: version,
    done: 204,
  },
  { operation: 'change-metadata', line: 'DELETE /os/n/o;metadata/content-type', own: version, done: 204 },
  { operation: 'delete-version', line: 'DELETE /os/n/o:{v}', own: version, done: 204 },
  { operation: 'read-version-acl', line: 'GET /os/n/o:{v};acl', own: version, done: 200 },
  {
    operation: 'change-version-acl',
    line: 'PUT /os/n/o:{v};acl/read',
    headers: JSON_TYPE,
    body: '[]',
    own: version,
    done: 204,
  },
  { operation: 'read-object-acl', line: 'GET /os/n/o;acl/owner', own: object, done: 200 },
  { operation: 'change-object-acl', line: 'DELETE /os/n/o;acl/read', own: object, done: 204 },
  {
    operation: 'create-job',
    line: 'POST /os/n/o;upload',
    headers: JSON_TYPE,
    body: '{"chunk-length":1,"content-length":1}',
    own: object,
    done: 201,
  },
  { operation: 'read-job', line: 'GET /os/n/o;upload/{j}', own: { object: 'o', job: 'j' }, done: 200 },
  { operation: 'send-chunk', line: 'PUT /os/n/o;upload/{j}/0', body: 'x', own: { job: 'j' }, done: 204 },
  {
    operation: 'rename-from',
    line: 'POST /os/k/new',
    headers: JSON_TYPE,
    body: '{"command":"rename_from","source_name":"/n/o"}',
    own: { object: 'o' },
    done: 201,
  },
  {
    operation: 'rename-onto',
    line: 'POST /os/n/o',
    headers: JSON_TYPE,
    body: '{"command":"rename_from","source_name":"/k/s"}',
    own: { object: 'o' },
    done: 201,
  },
  { operation: 'list-namespace', line: 'GET /os/n;bulk/names', own: { namespace: 'n' }, done: 200 },
  { operation: 'cancel-job', line: 'DELETE /os/n/o;upload/{j}', own: { object: 'o', job: 'j' }, done: 204 },
];

const places = ['root', 'n', 'e', 'o', 'v', 'j'] as const;
type PlaceName = (typeof places)[number];
const MODES: Readonly<Record<PlaceName, readonly Mode[]>> = {
  root: MODES_OF_KIND.namespace,
  n: MODES_OF_KIND.namespace,
  e: MODES_OF_KIND.namespace,
  o: MODES_OF_KIND.object,
  v: MODES_OF_KIND.version,
  j: ['owner'],
};
/** What is strictly above each place. */
const ABOVE: Readonly<Record<PlaceName, readonly PlaceName[]>> = {
  root: [],
  n: ['root'],
  e: ['root', 'n'],
  o: ['root', 'n'],
  v: ['root', 'n'],
  j: ['root', 'n'],
};

function expected(probe: Probe, place: PlaceName, mode: Mode): boolean {
  const subject = probe.own.namespace ?? 'o';
  return OBJECT_STORE_GRANTS[probe.operation].some(
    (grant) =>
      grant.mode === mode &&
      (grant.on === 'ancestors' ? ABOVE[subject].includes(place) : probe.own[grant.on] === place),
  );
}

describe('the grant table over HTTP', () => {
  let store: TestStore;
  let v: string;
  let j: string;
  beforeAll(async () => {
    store = await openTestStore();
  });
  afterAll(() => store.close());

  beforeEach(async () => {
    await store.database.withConnection(null, async (connection) => {
      await connection.execute(sql`truncate os_version, os_blob, os_chunk, os_job, os_job_outcome, os_part_lease`);
      await connection.execute(sql`delete from os_name where path <> ''`);
      await connection.execute(sql`update os_name set acl_owner = '{alice}', acl_create = '{}', acl_read = '{}', acl_subtree_owner = '{}',
        acl_subtree_create = '{}', acl_subtree_update = '{}', acl_subtree_read = '{}'`);
    });
    await store.http('PUT', '/os/n', { as: 'alice', headers: NS });
    await store.http('PUT', '/os/n/e', { as: 'alice', headers: NS });
    const made = await store.http('PUT', '/os/n/o', { as: 'alice', headers: { 'Content-Type': 'a/b' }, body: 'hello' });
    v = (made.headers.location ?? '').split(':')[1] ?? '';
    const job = await store.http('POST', '/os/n/o;upload', {
      as: 'alice',
      headers: JSON_TYPE,
      body: '{"chunk-length":1,"content-length":1}',
    });
    // the other side of a rename is always open to bob
    await store.http('PUT', '/os/k', { as: 'alice', headers: NS });
    await store.http('PUT', '/os/k/s', { as: 'alice', body: 'source' });
    j = (job.headers.location ?? '').split(';upload/')[1] ?? '';
    // nobody but "keeper" is left, so that each list stands alone
    await store.database.withConnection(null, async (connection) => {
      await connection.execute(sql`update os_name set acl_owner = '{keeper}' where path not like '/k%'`);
      await connection.execute(sql`update os_name set acl_owner = '{*}' where path like '/k%'`);
      await connection.execute(sql`update os_version set acl_owner = '{keeper}', acl_read = '{}'`);
      await connection.execute(sql`update os_job set acl_owner = '{keeper}'`);
    });
  });

  const setList = async (place: PlaceName, mode: Mode, roles: readonly string[]): Promise<void> => {
    const column = identifier(listColumn(mode));
    const table = identifier(place === 'v' ? 'os_version' : place === 'j' ? 'os_job' : 'os_name');
    const path = { root: '', n: '/n', e: '/n/e', o: '/n/o', v: null, j: null }[place];
    const which = path === null ? sql`` : sql` where path = ${path}`;
    await store.database.withConnection(null, (connection) =>
      connection.execute(sql`update ${table} set ${column} = ${roles}::text[]${which}`),
    );
  };

  const ask = async (probe: Probe, as: string | undefined): Promise<number> => {
    const [method = '', target = ''] = probe.line.split(' ');
    const { headers, body } = probe;
    return (await store.http(method, target.replace('{v}', v).replace('{j}', j), { as, headers, body })).status;
  };

  it.each(probes)('$operation by $line', async (probe) => {
    const seen: string[] = [];
    const wanted: string[] = [];
    expect([await ask(probe, 'bob'), await ask(probe, undefined)]).toEqual([403, 401]);
    for (const place of places) {
      for (const mode of MODES[place]) {
        await setList(place, mode, ['keeper', 'bob']);
        const grants = expected(probe, place, mode);
        // a granted change spoils the tree for further ones: those are asked once each, below
        if (!grants) expect(`${place}.${mode} ${await ask(probe, 'bob')}`).toBe(`${place}.${mode} 403`);
        else if (probe.done === 200) expect(`${place}.${mode} ${await ask(probe, 'bob')}`).toBe(`${place}.${mode} 200`);
        if (grants) wanted.push(`${place}.${mode}`);
        await setList(place, mode, mode === 'owner' ? ['keeper'] : []);
        seen.push(`${place}.${mode}`);
      }
    }
    expect(seen).toHaveLength(7 * 3 + 5 + 2 + 1);
    expect(wanted.length).toBeGreaterThan(0);
  });

  const granted = probes
    .filter(({ done }) => done !== 200)
    .flatMap((probe) =>
      places.flatMap((place) =>
        MODES[place]
          .filter((mode) => expected(probe, place, mode))
          .map((mode) => ({ probe, place, mode, title: `${probe.line} by ${place}.${mode}` })),
      ),
    );
  it.each(granted)('$title, for a role and for everybody', async ({ probe, place, mode }) => {
    await setList(place, mode, ['keeper', 'bob']);
    expect(await ask(probe, undefined)).toBe(401);
    await setList(place, mode, ['keeper', '*']);
    expect(await ask(probe, 'bob')).toBe(probe.done);
  });

  it('lets nobody delete the root', async () => {
    for (const mode of MODES.root) await setList('root', mode, ['bob']);
    const root = { operation: 'delete-root', line: 'DELETE /os/', own: {}, done: 204 } as const;
    expect([await ask(root, 'bob'), await ask(root, undefined)]).toEqual([403, 401]);
  });

  it('deletes an object only for a client who may delete each version', async () => {
    const probe = { operation: 'delete-object', line: 'DELETE /os/n/o', own: object, done: 204 } as const;
    for (const [place, mode] of [
      ['o', 'owner'],
      ['v', 'owner'],
      ['o', 'subtree-owner'],
    ] as const) {
      await setList(place, mode, ['keeper', 'bob']);
      expect(`${place}.${mode} ${await ask(probe, 'bob')}`).toBe(`${place}.${mode} 403`);
      await setList(place, mode, ['keeper']);
    }
    await setList('o', 'owner', ['bob']);
    await setList('v', 'owner', ['bob']);
    expect(await ask(probe, 'bob')).toBe(204);
  });

  it.each(['root', 'n'] as const)('deletes an object for a subtree owner of %s', async (place) => {
    const probe = { operation: 'delete-object', line: 'DELETE /os/n/o', own: object, done: 204 } as const;
    await setList(place, 'subtree-owner', ['bob']);
    expect(await ask(probe, 'bob')).toBe(204);
  });
});
