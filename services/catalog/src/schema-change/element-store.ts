import { type Connection, type Sql, sql } from '@holdfast/pg-kit';
import type { Change } from '../history/change.js';
import type { ConfigurationRow, ElementRow } from '../model/element-rows.js';
import { stringifyExact } from '../model/exact-numbers.js';

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
            from jsonb_to_recordset(${stringifyExact(elements)}::jsonb)
              as given (rid text, kind text, parent text, doc jsonb)`,
  );
  await connection.execute(sql`select _catalog.tie_elements(${[...new Set(elements.map(({ rid }) => rid))]}::text[])`);
}

/**
 * Ends elements as of the change, with their lists, bindings and annotations, and the bindings of other elements that use them
 * (spec/catalog-model.md 19.5). One that a column has in place of its table's leaves `false` behind: without it the table's would hold for the
 * column, and the end of a rule must not open anything.
 */
export async function closeElements(connection: Connection, change: Change, rids: readonly string[]): Promise<void> {
  const uses = sql`value->'uses' ?| ${rids}::text[]`;
  await revise(connection, change, {
    which: sql`kind = 'binding' and not rid = any(${rids}::text[])
               and exists (select from jsonb_each(doc) where ${uses})`,
    doc: sql`(select coalesce(jsonb_object_agg(key, case when (${uses}) is true then 'false' else value end), '{}')
                from jsonb_each(doc)
               where (${uses}) is not true or exists (
                 select from (select rid as above, kind as its_kind, hi as its_end, doc as bindings from _catalog.elem) b
                  where above = parent and its_kind = 'binding' and its_end = 'infinity' and bindings ? key
                    and (bindings->key->'uses' ?| ${rids}::text[]) is not true))`,
  });
  await closeRows(connection, change, rids, null);
}

/** Changes members of the document of an element: a new version of it as of the change. */
export async function replaceDocument(
  connection: Connection,
  change: Change,
  row: { readonly rid: string; readonly kind: 'schema' | 'table' | 'column' | 'key' | 'foreign_key' },
  members: object,
): Promise<void> {
  await revise(connection, change, {
    which: sql`rid = ${row.rid} and kind = ${row.kind}`,
    doc: sql`doc || ${stringifyExact(members)}::jsonb`,
  });
}

/** Puts an element below another parent, with its lists, bindings and annotations. */
export async function moveElement(connection: Connection, change: Change, rid: string, parent: string): Promise<void> {
  await revise(connection, change, { which: sql`rid = ${rid}`, parent: sql`${parent}::text` });
}

/** Ties elements to the database objects that took the place of their own. */
export async function tieAgain(connection: Connection, rids: readonly string[]): Promise<void> {
  await connection.execute(sql`select _catalog.tie_elements(${rids}::text[])`);
}

/** New versions of live rows; those that the change itself made are changed in place, since they have lived no time at all. */
async function revise(
  connection: Connection,
  change: Change,
  revision: { readonly which: Sql; readonly doc?: Sql; readonly parent?: Sql },
): Promise<void> {
  const { which, doc = sql`doc`, parent = sql`parent` } = revision;
  const now = sql`${change.ts}::timestamptz`;
  await connection.execute(
    sql`update _catalog.elem set doc = ${doc}, parent = ${parent} where ${which} and hi = 'infinity' and lo = ${now}`,
  );
  await connection.execute(
    sql`with old as (
          update _catalog.elem set hi = ${now}
           where ${which} and hi = 'infinity' and lo < ${now}
          returning rid, kind, parent, doc)
        insert into _catalog.elem (rid, kind, parent, lo, doc)
          select rid, kind, ${parent}, ${now}, ${doc} from old`,
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
