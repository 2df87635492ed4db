import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../../support/catalog-fixture.js';
import { testSeed } from '../../support/test-seed.js';
import { type PastReader, pastReader } from '../past-reader.js';
import { amendAtRandom } from './amendments.js';
import { type CatalogView, naiveCatalog, type TableView } from './naive-catalog.js';
import { randomFrom } from './random-changes.js';
import { tableDocument, writers, writeTogether } from './writers.js';

const seed = testSeed();
const CHANGES = 2_000;
const AMENDMENTS = 40;
const READERS = 4;

/** What random changes of rows and model leave behind, against a catalog made of maps that the same changes were told to. */
describe(`a random history of ${CHANGES} changes by several writers (TEST_SEED=${seed})`, () => {
  const random = randomFrom(seed);
  let fixture: CatalogFixture;
  let past: PastReader;
  let ids: readonly string[] = [];
  let views: readonly CatalogView[] = [];
  const changes: string[] = [];

  beforeAll(async () => {
    process.stdout.write(`TEST_SEED=${seed}\n`);
    fixture = await startCatalog();
    past = await pastReader(fixture);
    await past.done('PUT', '/acl', { owner: [...writers], enumerate: ['*'] });
    await past.done('POST', '/schema/U');
    await past.done('POST', '/schema/S/table', tableDocument('parent'));
    const cascade = {
      foreign_key_columns: [{ column_name: 'a' }],
      referenced_columns: [{ schema_name: 'S', table_name: 'parent', column_name: 'id' }],
      on_delete: 'CASCADE',
    };
    await past.done('POST', '/schema/S/table', tableDocument('child', { foreign_keys: [cascade] }));
    const before = await past.now();
    const log = await writeTogether(past, random, CHANGES, await fixture.databaseUrl(past.id));
    const made = await past.sql(
      `select _catalog.encode_id(_catalog.micros(ts)) as id, client from _catalog.snap
        where ts > _catalog.at_micros(_catalog.decode_id($1)) order by ts`,
      [before],
    );
    ids = made.map(({ id }) => String(id));
    views = replayed(
      log,
      made.map(({ client }) => (client === null ? null : String(client))),
    );
  }, 300_000);
  afterAll(() => fixture.close());

  function replayed(log: Awaited<ReturnType<typeof writeTogether>>, clients: readonly (string | null)[]) {
    const naive = naiveCatalog();
    const positions = new Map<string | null, number>();
    const result = clients.map((client, index) => {
      const position = positions.get(client) ?? 0;
      positions.set(client, position + 1);
      const change = log.get(client)?.[position];
      if (change === undefined) throw new Error(`${client} made a snapshot without a change`);
      naive.apply(change, index);
      changes.push(`${index} ${client} ${JSON.stringify(change)}`);
      return naive.view();
    });
    for (const [client, changes] of log) expect([client, positions.get(client) ?? 0]).toEqual([client, changes.length]);
    return result;
  }

  it('has one snapshot for each change', () => {
    expect(ids.length).toBeGreaterThanOrEqual(CHANGES);
    expect(views).toHaveLength(ids.length);
  });

  it('shows at every snapshot the rows and the model of that moment', () => verify(() => true), 300_000);

  it('shows the same, but for what was amended, after random amendments and redactions', async () => {
    await amendAtRandom(past, random, ids, views, AMENDMENTS);
    await verify((index) => index % 3 === 0 || index > ids.length - 10);
  }, 300_000);

  it('shows the same after it was cut in the middle, and nothing before', async () => {
    const middle = Math.floor(ids.length / 2);
    await past.done('DELETE', `/history/,${ids[middle]}`);
    expect((await past.send('GET', `@${ids[middle - 1]}/schema`)).status).toBe(404);
    await verify((index) => index >= middle && (index % 10 === 0 || index < middle + 10));
  }, 300_000);

  async function verify(chosen: (index: number) => boolean): Promise<void> {
    const queue = views.flatMap((view, index) => (chosen(index) ? [{ view, id: ids[index] ?? '', index }] : []));
    const reader = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop())
        await compare(next.index, next.id, next.view);
    };
    await Promise.all(Array.from({ length: READERS }, reader));
  }

  async function compare(index: number, id: string, view: CatalogView): Promise<void> {
    const shown = await shownAt(id, view);
    const { tables, rows } = expected(view);
    try {
      expect(shown.rows).toEqual(rows);
      if (index % 3 === 0 || JSON.stringify(tables) !== JSON.stringify(expected(views[index - 1] ?? new Map()).tables))
        expect(tablesOf(await past.done('GET', `@${id}/schema`))).toEqual(tables);
    } catch (error) {
      const before = changes.slice(Math.max(0, index - 10), index + 1).join('\n');
      throw new Error(
        `snapshot ${index}, ${id}, after these changes:\n${before}\n${error instanceof Error ? error.message : error}`,
      );
    }
  }

  async function shownAt(id: string, view: CatalogView) {
    const rows: (readonly [string, unknown])[] = [];
    for (const [name, { columns }] of view) {
      const list = columns.map((column) => column.name).join(',');
      rows.push([name, await past.rows(id, `attribute/${name}/${list}@sort(id)`)]);
    }
    return { rows: Object.fromEntries(rows) };
  }
});

interface ShownTable {
  readonly columns: readonly (readonly [name: string, type: string])[];
  readonly note: number | null;
  readonly select: readonly string[] | null;
}

interface SchemaDocument {
  readonly schemas: Readonly<Record<string, { readonly tables: Readonly<Record<string, TableDocument>> }>>;
}

interface TableDocument {
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly acls: { readonly select?: readonly string[] };
  readonly column_definitions: readonly { readonly name: string; readonly type: string }[];
}

function tablesOf(document: unknown): Readonly<Record<string, ShownTable>> {
  const { schemas } = document as SchemaDocument;
  return Object.fromEntries(
    ['S', 'U'].flatMap((schema) =>
      Object.entries(schemas[schema]?.tables ?? {}).map(([name, { annotations, acls, column_definitions }]) => {
        const own = column_definitions.filter(({ name: column }) => !/^R(ID|CT|MT|CB|MB)$/.test(column));
        const shown: ShownTable = {
          columns: own.map((column) => [column.name, column.type] as const),
          note: (annotations.note as number | undefined) ?? null,
          select: acls.select ?? null,
        };
        return [`${schema}:${name}`, shown] as const;
      }),
    ),
  );
}

function expected(view: CatalogView) {
  const tables = [...view].map(([name, { columns, note, select }]) => {
    const shown: ShownTable = { columns: columns.map((column) => [column.name, column.type] as const), note, select };
    return [name, shown] as const;
  });
  return {
    tables: Object.fromEntries(tables),
    rows: Object.fromEntries([...view].map(([name, table]) => [name, rowsOf(table)])),
  };
}

function rowsOf({ rows, columns }: TableView): readonly object[] {
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([, { cells }]) =>
      Object.fromEntries(columns.map(({ identity, name }) => [name, cells.get(identity) ?? null])),
    );
}
