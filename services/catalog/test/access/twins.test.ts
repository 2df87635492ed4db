import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Answer, type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { exampleCategories, exampleRows, exampleSchema } from './documents.js';
import { type Probe, probes } from './probes.js';

/** A catalog, and what probes need to know of it. */
interface Twin {
  readonly path: string;
  /** What `{…}` in a probe stands for. */
  readonly words: Readonly<Record<string, string>>;
}

/**
 * Two catalogs, alike but for a hidden schema, table, column and rows: nobody without the rights can tell them apart. The tells that cannot be
 * helped (docs/access.md) are not asked for.
 */
describe('twin catalogs of which one hides something', () => {
  let fixture: CatalogFixture;
  let open: Twin;
  let hiding: Twin;

  beforeAll(async () => {
    fixture = await startCatalog();
    const [plain, full] = [await fixture.createCatalog(), await fixture.createCatalog()];
    await fill(plain);
    await fill(full);
    const hidden = await hide(full);
    // rows that are not sorted come as they are stored: the update of a hidden value moves one
    await demand(plain, 'PUT', '/attributegroup/S:D/id;val', [{ id: 11, val: 0 }]);
    open = { path: plain, words: { ...hidden, now: await snaptime(plain) } };
    hiding = { path: full, words: { ...hidden, now: await snaptime(full) } };
  });
  afterAll(() => fixture.close());

  it('differ for their owner', async () => {
    const all = await Promise.all([open, hiding].map(({ path }) => fixture.request('alice', 'GET', `${path}/schema`)));
    expect(all[0]?.text.length).not.toBe(all[1]?.text.length);
  });

  it.each(['bob', 'anon'] as const)(
    'are the same for %s, whatever is asked',
    async (client) => {
      const differences: object[] = [];
      const answered = new Map<number, number>();
      for (const probe of probes()) {
        const [one, other] = [await ask(client, open, probe), await ask(client, hiding, probe)];
        answered.set(one.status, (answered.get(one.status) ?? 0) + 1);
        if (JSON.stringify(one) !== JSON.stringify(other)) differences.push({ probe, open: one, hiding: other });
      }
      expect(differences.slice(0, 10)).toEqual([]);
      expect(probes().length).toBeGreaterThanOrEqual(250);
      // not all of them are refused
      expect(answered.get(200)).toBeGreaterThan(40);
    },
    120_000,
  );

  it.each(['bob', 'anon'] as const)(
    'ask the database as often for %s: no answer is quicker for what is hidden',
    async (client) => {
      const reads = probes().filter(({ method }) => method === 'GET');
      let most = 0;
      const differences: object[] = [];
      for (const probe of reads) {
        const [one, other] = [await roundTrips(client, open, probe), await roundTrips(client, hiding, probe)];
        most = Math.max(most, one);
        if (one !== other) differences.push({ probe, open: one, hiding: other });
      }
      expect(differences).toEqual([]);
      expect(most).toBeGreaterThan(0);
      expect(reads.length).toBeGreaterThan(100);
    },
    120_000,
  );

  /** Messages to the database for a request; the least of some tries, since work in the background has its own. */
  async function roundTrips(client: 'bob' | 'anon', twin: Twin, probe: Probe): Promise<number> {
    const { query } = pg.Client.prototype;
    let sent = 0;
    pg.Client.prototype.query = function (this: pg.Client, ...given: Parameters<typeof query>) {
      sent += 1;
      return query.apply(this, given);
    } as typeof query;
    try {
      const counts: number[] = [];
      for (let tries = 0; tries < 3; tries += 1) {
        sent = 0;
        await ask(client, twin, probe);
        counts.push(sent);
      }
      return Math.min(...counts);
    } finally {
      pg.Client.prototype.query = query;
    }
  }

  it('say no more than they must where a hindrance cannot be concealed', async () => {
    const { path } = hiding;
    await demand(path, 'POST', '/entity/S:hidden', [{ id: 2, d_id: 11 }]);
    const referred = await fixture.request('bob', 'DELETE', `${path}/entity/S:D/id=11`);
    expect([referred.status, /hidden|d_id/.test(referred.text)]).toEqual([409, false]);
    const constraint = (when: string): string =>
      `alter table "S".hidden alter constraint "hidden_d_id_fkey" deferrable initially ${when}`;
    await fixture.query(path.slice('/catalog/'.length), constraint('deferred'));
    const atCommit = await fixture.request('bob', 'DELETE', `${path}/entity/S:D/id=11`);
    expect([atCommit.status, /hidden|d_id/.test(atCommit.text)]).toEqual([409, false]);
    await fixture.query(path.slice('/catalog/'.length), constraint('immediate'));
    const known = await fixture.request('alice', 'DELETE', `${path}/entity/S:D/id=11`);
    expect([known.status, known.text]).toEqual([409, expect.stringContaining('hidden')]);
    await demand(path, 'PUT', '/schema/S/table/D/acl/insert', ['bob']);
    const json = { 'content-type': 'application/json' };
    const taken = await fixture.request('bob', 'POST', `${path}/entity/S:D`, [{ id: 13 }], json);
    expect([taken.status, /secret|hush|carol/.test(taken.text)]).toEqual([409, false]);
    await demand(path, 'PUT', '/schema/S/table/D/column/secret', { default: 1 });
    const collides = await fixture.request('bob', 'POST', `${path}/entity/S:D`, [{ id: 14 }], json);
    expect([collides.status, /secret/.test(collides.text)]).toEqual([409, false]);
  });

  async function ask(client: 'bob' | 'anon', twin: Twin, { method, target, body, headers }: Probe): Promise<Told> {
    const filled = target.replaceAll(/\{(\w+)\}/g, (_, word: string) => encodeURIComponent(twin.words[word] ?? ''));
    const type = { 'content-type': 'application/json' };
    const answer = await fixture.request(client, method, `${twin.path}${filled}`, body, { ...type, ...headers });
    return told(answer);
  }

  async function snaptime(path: string): Promise<string> {
    const { json } = await fixture.request('alice', 'GET', path);
    return (json as { snaptime: string }).snaptime;
  }

  async function demand(path: string, method: string, target: string, body?: unknown): Promise<unknown> {
    const answer = await fixture.request('alice', method, `${path}${target}`, body, {
      'content-type': 'application/json',
    });
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.text}`);
    return answer.json;
  }

  /** What everybody may see: bob his rows of D, which he may change, anon those of everybody. */
  async function fill(path: string): Promise<void> {
    await demand(path, 'PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
    await demand(path, 'POST', '/schema', exampleSchema());
    const same = { table_name: 'same', column_definitions: [{ name: 'id', type: 'int4' }] };
    await demand(path, 'POST', '/schema/S/table', same);
    await demand(path, 'PUT', '/schema/S/table/D/acl', { select: [] });
    await demand(path, 'PUT', '/schema/S/table/D/acl_binding', { own: { types: ['owner'], projection: 'member' } });
    await demand(path, 'POST', '/entity/S:Cat', exampleCategories);
    await demand(path, 'POST', '/entity/S:D', exampleRows.slice(0, 2));
  }

  /** The rest, last, so that everything else has the RIDs it has in the twin. */
  async function hide(path: string): Promise<Readonly<Record<string, string>>> {
    const none = { enumerate: [], select: [] };
    await demand(path, 'POST', '/schema/S/table/D/column', { name: 'secret', type: 'int4', acls: none });
    await demand(path, 'POST', '/schema/S/table/D/key', { unique_columns: ['id', 'secret'] });
    await demand(path, 'POST', '/schema/S/table/D/key', { unique_columns: ['secret'] });
    const reference = (from: readonly [string, string], to: readonly [string, string]): object => ({
      foreign_key_columns: [{ schema_name: 'S', table_name: from[0], column_name: from[1] }],
      referenced_columns: [{ schema_name: 'S', table_name: to[0], column_name: to[1] }],
    });
    await demand(path, 'POST', '/schema/S/table/D/foreignkey', reference(['D', 'secret'], ['Cat', 'id']));
    await demand(path, 'POST', '/schema/S/table', {
      table_name: 'hidden',
      acls: none,
      column_definitions: ['id', 'd_id'].map((name) => ({ name, type: 'int4', nullok: false })),
      keys: [{ unique_columns: ['id'] }],
      foreign_keys: [reference(['hidden', 'd_id'], ['D', 'id'])],
    });
    const tables = ['same', 'inner'].map((name) => [name, { column_definitions: [{ name: 'id', type: 'int4' }] }]);
    await demand(path, 'POST', '/schema', { schemas: { H: { acls: none, tables: Object.fromEntries(tables) } } });
    const row = { id: 13, name: 'hush', member: 'carol', c_id: 1, val: 77, secret: 1 };
    const [made] = (await demand(path, 'POST', '/entity/S:D', [row])) as readonly { RID: string }[];
    await demand(path, 'PUT', '/attributegroup/S:D/id;secret', [{ id: 11, secret: 2 }]);
    const [inHidden] = (await demand(path, 'POST', '/entity/S:hidden', [{ id: 1, d_id: 13 }])) as readonly {
      RID: string;
    }[];
    return { rid: made?.RID ?? '', hiddenTableRow: inHidden?.RID ?? '' };
  }
});

/** An answer without what no two answers have in common: times, snapshots, tags, ids of requests and of the catalog. */
interface Told {
  readonly status: number;
  readonly headers: readonly string[];
  readonly text: string;
}

function told({ status, headers, text }: Answer): Told {
  const unlike = text === '' ? ['date', 'x-request-id', 'content-length'] : ['date', 'x-request-id'];
  const kept = [...headers].filter(([name]) => !unlike.includes(name));
  // a length counts what is left out of the text, too; to HEAD it is told without the text
  const leftOut = Buffer.byteLength(text) - Buffer.byteLength(normalised(text));
  const value = (name: string, of: string): string =>
    name === 'content-length' ? String(Number(of) - leftOut) : normalised(of);
  return {
    status,
    headers: kept.map(([name, of]) => (name === 'etag' ? 'etag' : `${name}: ${value(name, of)}`)).sort(),
    text: normalised(text),
  };
}

function normalised(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)?/g, 'TIME')
    .replaceAll(/\b[0-9A-Z]{3}-[0-9A-Z]{4}-[0-9A-Z]{4}\b/g, 'SNAPSHOT')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'REQUEST')
    .replaceAll(/catalog\/\d+/g, 'catalog/ID')
    .replaceAll(/"id":"\d+"/g, '"id":"ID"');
}
