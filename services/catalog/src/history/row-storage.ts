import { type Connection, sql } from '@holdfast/pg-kit';
import type { Column, Model, Table } from '../model/model.js';

/** Where the rows of the past stand in the database as it is now (spec/catalog-access.md 12.3). */
export interface RowStorage {
  /** Latest change of the model it goes by. */
  readonly presentModel: bigint;
  /** By RID of the table. */
  readonly tables: ReadonlyMap<string, TableStorage>;
}

/** Where the rows of one table stand. */
export interface TableStorage {
  /** The table as it is now; null when it was dropped. */
  readonly live: Table | null;
  /** Since when the live rows tell their own past, in microseconds since 1970; null: they do not. */
  readonly epoch: bigint | null;
}

/** Reads where rows of the past are, by the present model. */
export async function loadRowStorage(connection: Connection, present: Model): Promise<RowStorage> {
  const rows = await connection.query<{ readonly rid: string; readonly epoch: string | null }>(
    sql`select rid, case when epoch = 'infinity' then null when epoch = '-infinity' then '0'
                         else _catalog.micros(epoch)::text end as epoch
          from _catalog.capture`,
  );
  const live = new Map(
    [...present.schemas.values()].flatMap(({ tables }) => [...tables.values()].map((table) => [table.rid, table])),
  );
  return {
    presentModel: present.version,
    tables: new Map(
      rows.map(({ rid, epoch }) => [
        rid,
        { live: live.get(rid) ?? null, epoch: epoch === null ? null : BigInt(epoch) },
      ]),
    ),
  };
}

/** RIDs of the tables that have a history now: a truncation may have dropped the one of a table that is gone. */
export async function historiesOf(connection: Connection): Promise<readonly string[]> {
  const rows = await connection.query<{ readonly rid: string }>(
    sql`select rid from _catalog.capture where to_regclass(format('_catalog.%I', 'h_' || rid)) is not null order by rid`,
  );
  return rows.map(({ rid }) => rid);
}

/** Name of the relation that holds the dead rows of a table, in the schema `_catalog`. */
export function historyRelation(table: Pick<Table, 'rid'>): string {
  return `h_${table.rid}`;
}

/** Name of a column in it, as `_catalog.history_column` has it. */
export function historyColumn({ rid, system, name, storage }: Column): string {
  if (system !== null) return name;
  return storage === 1 ? `c_${rid}` : `c_${rid}_${storage}`;
}

/** The live column that holds what a column of the past holds, if there is one. */
export function liveColumn({ live }: TableStorage, column: Column): Column | null {
  return live?.columns.find(({ rid, storage }) => rid === column.rid && storage === column.storage) ?? null;
}
