import { type Connection, sql } from '@holdfast/pg-kit';
import { type CanonicalPath, storedPath } from '../naming/canonical-path.js';
import { listTag } from './list-tag.js';
import type { NameRecord } from './records.js';

/** Rows per query: a page is some 100 KB at most of the usual names. */
const PAGE_ROWS = 1000;

/**
 * The direct, defined children of a namespace in the order of canonical path bytes (spec/objectstore.md 5.1), page by page; for
 * one consistent list run it in one repeatable-read transaction.
 */
export async function* listChildren(
  connection: Connection,
  namespace: NameRecord,
): AsyncGenerator<readonly CanonicalPath[]> {
  let after = '';
  for (;;) {
    const rows = await connection.query<{ path: string }>(
      sql`select path from os_name where parent_id = ${namespace.id} and deleted_at is null and path > ${after}
          order by path limit ${PAGE_ROWS}`,
      { prepared: 'list-children' },
    );
    if (rows.length > 0) yield rows.map(({ path }) => storedPath(path));
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.path ?? '';
  }
}

/** The tag of a namespace: a hash of its ordered list of children. */
export function namespaceTag(connection: Connection, namespace: NameRecord): Promise<string> {
  return listTag(listChildren(connection, namespace));
}
