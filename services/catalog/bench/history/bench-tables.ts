import type pg from 'pg';
import type { Workbench } from '../model/workbench.js';

/** Two tables alike but for the capture of their history. */
export interface BenchTables {
  /** `catalog/1`. */
  readonly path: string;
  readonly rows: number;
  readonly database: pg.Client;
  /** Empties a table and its history. */
  empty(table: TableName): Promise<void>;
  /** Fills a table in one change, as the service does. */
  fill(table: TableName): Promise<void>;
  /** Runs a statement that writes as one change; `_catalog.now()` is its instant. */
  change(statement: string): Promise<void>;
  /** Quoted name of the relation with the dead rows of the captured table. */
  readonly history: string;
  close(): Promise<void>;
}

export type TableName = 'captured' | 'plain';

const columns = [
  { name: 'id', type: 'int8', nullok: false },
  { name: 'label', type: 'text' },
  { name: 'n', type: 'int4' },
  { name: 'weight', type: 'float8' },
  { name: 'at', type: 'timestamptz' },
  { name: 'flag', type: 'boolean' },
  { name: 'tags', type: 'text[]' },
  { name: 'note', type: 'markdown' },
].map((column) => ({
  ...column,
  annotations: { 'tag:example.org,2018:indexing-preferences': { btree: false, trgm: false, gin_array: false } },
}));

/** Makes a catalog with the two tables, empty. */
export async function benchTables(bench: Workbench, rows: number): Promise<BenchTables> {
  const path = await bench.createCatalog();
  const table = { column_definitions: columns, keys: [{ unique_columns: ['id'] }] };
  const off = { 'tag:example.org,2020:history-capture': false };
  await bench.call('POST', `${path}/schema`, {
    schemas: { S: { tables: { captured: table, plain: { ...table, annotations: off } } } },
  });
  const { RID } = JSON.parse((await bench.call('GET', `${path}/schema/S/table/captured`)).body.toString());
  const database = await bench.connectToLast();
  const history = `_catalog."h_${String(RID)}"`;
  const change: BenchTables['change'] = async (statement) => {
    await database.query(`begin; select _catalog.begin_change('alice', 1000); ${statement};
      insert into _catalog.snap (ts, client, model, tables) values (_catalog.now(), 'alice', false, '{}'); commit`);
  };
  return {
    path,
    rows,
    database,
    history,
    change,
    empty: async (name) => {
      await database.query(`alter table "S".${name} disable trigger user; truncate "S".${name};
        alter table "S".${name} enable trigger user; truncate ${history}; checkpoint`);
    },
    fill: (name) =>
      change(`insert into "S".${name} ("RID", "RCT", "RMT", "RCB", "RMB", id, label, n, weight, at, flag, tags, note)
        select _catalog.next_rid(), t, t, 'alice', 'alice', i, 'row ' || i, i % 1000, i / 7.0, t, i % 2 = 0,
               array['a', 'tag ' || i % 10], 'some *words* about row ' || i
          from generate_series(1, ${rows}) i, (select _catalog.now() as t) now`),
    close: () => database.end(),
  };
}
