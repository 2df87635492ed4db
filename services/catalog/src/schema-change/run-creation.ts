import type { Logger } from '@holdfast/http-kit';
import { type Connection, identifier, sql } from '@holdfast/pg-kit';
import { type ChangeDraft, changeDraft, type DraftTable } from './change-draft.js';
import { readDefaults } from './column-defaults.js';
import type { CreationContext } from './creation-context.js';
import type { ColumnDefinition, SchemaDefinition, TableDefinition } from './definitions.js';
import { insertElements } from './element-store.js';
import type { ModelEdit } from './model-edit.js';
import { runDdl } from './run-ddl.js';
import { setNewBindings } from './set-bindings.js';

/** What a creation will need, counted before it begins. */
export interface CreationNeeds {
  /** New elements: each takes a RID. */
  readonly elements: number;
  readonly columns: readonly ColumnDefinition[];
  /** The table that was there before and gets a column, key or foreign key. */
  readonly existingTable: { readonly schema: string; readonly table: string } | null;
}

/**
 * Creates elements: `plan` draws up everything in memory, then the database and the bookkeeping are changed in few messages.
 * @returns what `plan` returns
 */
export async function runCreation<Result>(
  edit: ModelEdit,
  needs: CreationNeeds,
  plan: (context: CreationContext) => Result,
): Promise<Result> {
  const { connection } = edit;
  const draft = changeDraft(edit.model, await fetchRids(connection, needs.elements));
  const defaults = await readDefaults(connection, needs.columns);
  const trigrams = await hasTrigrams(connection);
  const filled = needs.existingTable !== null && (await hasRows(connection, draft, needs.existingTable));
  const result = plan({
    draft,
    rights: edit.rights,
    client: edit.client,
    registrants: edit.registrants,
    trigrams,
    defaults,
    hasRows: (table: DraftTable) => filled && !table.isNew,
    lateWork: edit.lateWork,
    warn: warnOnce(edit.log),
  });
  await runDdl(connection, draft.ddl);
  await insertElements(connection, edit.change, draft.elements);
  await setNewBindings(edit, draft.bindings);
  if (draft.elements.length > 0) edit.touch();
  return result;
}

/** How many elements a table is made of, itself and its foreign keys included. */
export function elementsOfTable(table: TableDefinition): number {
  return 1 + table.columns.length + table.keys.length + table.foreignKeys.length;
}

/** The same for a schema with its tables. */
export function elementsOfSchema(schema: SchemaDefinition): number {
  return 1 + schema.tables.reduce((sum, table) => sum + elementsOfTable(table), 0);
}

/** What is wrong with the annotation of a schema would be said for each of its columns. */
function warnOnce(log: Logger): CreationContext['warn'] {
  const said = new Set<string>();
  return (where, sentence) => {
    if (!said.has(sentence)) log.warn(where, sentence);
    said.add(sentence);
  };
}

async function fetchRids(connection: Connection, count: number): Promise<readonly string[]> {
  if (count === 0) return [];
  const rows = await connection.query<{ readonly rid: string }>(
    sql`select _catalog.next_rid() as rid from generate_series(1, ${count})`,
  );
  return rows.map(({ rid }) => rid);
}

async function hasTrigrams(connection: Connection): Promise<boolean> {
  const rows = await connection.query(sql`select from pg_extension where extname = 'pg_trgm'`);
  return rows.length > 0;
}

async function hasRows(
  connection: Connection,
  draft: ChangeDraft,
  place: { readonly schema: string; readonly table: string },
): Promise<boolean> {
  const table = draft.table(place.schema, place.table);
  if (table === null || table.relation === 'view') return false;
  const rows = await connection.query(sql`select from ${identifier(place.schema, place.table)} limit 1`);
  return rows.length > 0;
}
