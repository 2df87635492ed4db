import { initialLists, type ModeLists } from '@holdfast/acl';
import { type Connection, identifier, join, sql } from '@holdfast/pg-kit';
import type { Caller } from '../authorize/rights.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import { listColumn, type NameRow, nameColumns, nameOf } from './columns.js';
import type { NameRecord } from './records.js';

/** A name to be made beneath a namespace that the transaction has locked. */
export interface NewName {
  readonly path: CanonicalPath;
  readonly kind: 'namespace' | 'object';
  /** Lists the client asked for instead of the usual ones. */
  readonly given?: ModeLists | undefined;
}

/**
 * Makes a name after the namespaces missing on the way to it, from the top. Those belong to the client; nothing is copied from above
 * (spec/objectstore.md 4.4).
 * @returns null when somebody else was faster with one of them: look again
 */
export async function insertNames(
  connection: Connection,
  parent: NameRecord,
  missing: readonly CanonicalPath[],
  last: NewName,
  caller: Caller,
): Promise<NameRecord | null> {
  let above: NameRecord | null = parent;
  for (const path of missing) {
    above = await insertName(connection, above, { path, kind: 'namespace' }, caller);
    if (above === null) return null;
  }
  return insertName(connection, above, last, caller);
}

async function insertName(
  connection: Connection,
  parent: NameRecord,
  made: NewName,
  caller: Caller,
): Promise<NameRecord | null> {
  const lists = initialLists({ kind: made.kind, parent: parent.lists, given: made.given }, caller.id);
  const columns = Object.entries(lists).map(([mode, list]) => ({ mode, list }));
  const [row] = await connection.query<NameRow>(
    sql`insert into os_name as n (parent_id, ancestors, path, kind, created_by, ${join(columns.map(({ mode }) => listIdentifier(mode)))})
        values (${parent.id}, ${[...parent.ancestors, parent.id]}, ${made.path}, ${made.kind}, ${caller.id},
                ${join(columns.map(({ list }) => sql`${list}`))})
        on conflict (path) do nothing returning ${nameColumns}`,
  );
  return row === undefined ? null : nameOf(row);
}

function listIdentifier(mode: string) {
  return identifier(listColumn(mode));
}
