import { type Connection, sql } from '@holdfast/pg-kit';
import type { Change } from '../history/change.js';
import type { ConfigurationRow, ElementRow } from '../model/element-rows.js';

/** Enters new elements as of the change and ties them to their database objects, which must be there. */
export async function insertElements(
  connection: Connection,
  change: Change,
  elements: readonly ElementRow[],
): Promise<void> {
  if (elements.length === 0) return;
  await connection.execute(
    sql`insert into _catalog.elem (rid, kind, parent, lo, doc)
          select rid, kind, parent, ${change.ts}::timestamptz, doc
            from jsonb_to_recordset(${JSON.stringify(elements)}::jsonb)
              as given (rid text, kind text, parent text, doc jsonb)`,
  );
  await connection.execute(sql`select _catalog.tie_elements(${[...new Set(elements.map(({ rid }) => rid))]}::text[])`);
}

/** Ends elements as of the change, with their lists, bindings and annotations. */
export async function closeElements(connection: Connection, change: Change, rids: readonly string[]): Promise<void> {
  await closeRows(connection, change, rids, null);
}

/** Changes members of the document of an element: a new version of it as of the change. */
export async function replaceDocument(
  connection: Connection,
  change: Change,
  row: { readonly rid: string; readonly kind: 'schema' | 'table' | 'column' | 'key' | 'foreign_key' },
  members: object,
): Promise<void> {
  await connection.execute(
    sql`with old as (
          update _catalog.elem set hi = ${change.ts}::timestamptz
           where rid = ${row.rid} and kind = ${row.kind} and hi = 'infinity'
          returning rid, kind, parent, doc)
        insert into _catalog.elem (rid, kind, parent, lo, doc)
          select rid, kind, parent, ${change.ts}::timestamptz, doc || ${JSON.stringify(members)}::jsonb from old`,
  );
}

/** Replaces all lists, all bindings or all annotations of an element. */
export async function replaceConfiguration(
  connection: Connection,
  change: Change,
  place: { readonly rid: string; readonly parent: string },
  configuration: ConfigurationRow,
): Promise<void> {
  await closeRows(connection, change, [place.rid], configuration.kind);
  const isEmpty = Object.keys(configuration.doc).length === 0;
  if (!isEmpty) {
    await connection.execute(
      sql`insert into _catalog.elem (rid, kind, parent, lo, doc)
          values (${place.rid}, ${configuration.kind}, ${place.parent}, ${change.ts}::timestamptz,
            ${JSON.stringify(configuration.doc)}::jsonb)`,
    );
  }
}

/** Rows that the change itself made have lived no time at all and are removed. */
async function closeRows(
  connection: Connection,
  change: Change,
  rids: readonly string[],
  kind: string | null,
): Promise<void> {
  const which = sql`rid = any(${rids}::text[]) and hi = 'infinity' and (${kind}::text is null or kind = ${kind})`;
  await connection.execute(sql`delete from _catalog.elem where ${which} and lo = ${change.ts}::timestamptz`);
  await connection.execute(sql`update _catalog.elem set hi = ${change.ts}::timestamptz where ${which}`);
}
