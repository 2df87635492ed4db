import { type Connection, sql } from '@holdfast/pg-kit';
import { validateConstraint } from './alter-ddl.js';
import { createIndexConcurrently, dropIndexConcurrently, indexName, type Place } from './ddl.js';
import type { IndexPlan } from './index-plan.js';
import type { LateIndex, LateWork } from './late-work-list.js';

/**
 * Does one piece of late work, as far as there is anything to be done: what is done already stays, and what belongs to elements that
 * are gone is left. Not in a transaction; whoever calls it has the turn.
 */
export async function doPiece(connection: Connection, work: LateWork): Promise<void> {
  switch (work.kind) {
    case 'index':
      return buildIndex(connection, work);
    case 'validation': {
      const constraint = await elementOf(connection, work.foreignKey, ['foreign_key']);
      const place = constraint === null ? null : await placeOfTable(connection, constraint.parent);
      if (constraint !== null && place !== null) await connection.execute(validateConstraint(place, constraint.name));
      return;
    }
    default:
      return work satisfies never;
  }
}

async function buildIndex(connection: Connection, work: LateIndex): Promise<void> {
  const { owner } = work;
  const place = await placeOfTable(connection, work.table);
  const plan = await presentPlan(connection, work);
  if (place === null || plan === null || (await elementOf(connection, owner, ['column', 'foreign_key'])) === null)
    return;
  const state = await indexState(connection, place.schema, indexName(owner, plan.kind));
  if (state === 'valid') return;
  // what a build leaves that was interrupted: writers keep it up, no reader uses it
  if (state === 'invalid') await connection.execute(dropIndexConcurrently(place.schema, owner, plan));
  await connection.execute(createIndexConcurrently(place, owner, plan));
}

async function indexState(
  connection: Connection,
  schema: string,
  name: string,
): Promise<'valid' | 'invalid' | 'absent'> {
  const [row] = await connection.query<{ readonly valid: boolean }>(
    sql`select i.indisvalid as valid
          from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = ${schema} and c.relname = ${name}`,
  );
  if (row === undefined) return 'absent';
  return row.valid ? 'valid' : 'invalid';
}

/** The plan with the names that the columns have by now; null when one of them is gone. */
async function presentPlan(connection: Connection, { plan, columns }: LateIndex): Promise<IndexPlan | null> {
  const names: string[] = [];
  for (const rid of columns) {
    const column = await elementOf(connection, rid, ['column']);
    if (column === null) return null;
    names.push(column.name);
  }
  const [column = ''] = names;
  return plan.kind === 'btree' ? { ...plan, columns: names } : { ...plan, column };
}

async function placeOfTable(connection: Connection, rid: string): Promise<Place | null> {
  const table = await elementOf(connection, rid, ['table']);
  const schema = table === null ? null : await elementOf(connection, table.parent, ['schema']);
  return table === null || schema === null ? null : { schema: schema.name, table: table.name };
}

/** Name and parent of a live element. */
async function elementOf(
  connection: Connection,
  rid: string,
  kinds: readonly ('schema' | 'table' | 'column' | 'foreign_key')[],
): Promise<{ readonly name: string; readonly parent: string } | null> {
  const [row] = await connection.query<{ readonly name: string; readonly parent: string }>(
    sql`select doc->>'name' as name, parent from _catalog.elem
         where rid = ${rid} and kind = any(${kinds}::text[]) and hi = 'infinity'`,
  );
  return row ?? null;
}
