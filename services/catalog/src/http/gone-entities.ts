import { type Connection, identifier, join, literal, nothing, type Sql, sql } from '@holdfast/pg-kit';
import { instantText } from '../history/instant-text.js';
import type { Moment } from '../history/moment.js';
import { historiesOf, historyRelation, loadRowStorage, type TableStorage } from '../history/row-storage.js';
import { encodeId } from '../model/id-codec.js';
import type { Model } from '../model/model.js';
import { tableName } from '../sql/table-source.js';

/** A row that was there before the moment of a request. */
export interface GoneEntity {
  readonly rid: string;
  readonly tableRid: string;
  /** When it was removed. */
  readonly removal: string;
  /** The latest snapshot before. */
  readonly lastSnapshot: { readonly micros: bigint; readonly id: string; readonly text: string };
}

/**
 * Rows with a RID that were there once and are not at the moment of the request, the one removed last first: whoever may see them. One
 * statement of index probes over the history of all tables, of those that were dropped, too (spec/catalog-access.md 10.7).
 */
export async function goneEntities(
  { moment, model }: { readonly moment: Moment; readonly model: Model },
  connection: Connection,
  forms: readonly string[],
): Promise<readonly GoneEntity[]> {
  const { tables } = moment.kind === 'past' ? moment.storage : await loadRowStorage(connection, model);
  const kept = new Set(await historiesOf(connection));
  const places = [...tables].filter(([rid]) => kept.has(rid));
  if (places.length === 0) return [];
  const rows = await connection.query<GoneRow>(
    sql`select rid, table_rid, _catalog.micros(removal)::text as removal,
               (select _catalog.micros(max(s.ts))::text from _catalog.snap s where s.ts < removal) as last
          from (${probes(places, forms, moment.kind === 'past' ? moment.snapshot : null)}) gone
         order by removal desc`,
  );
  return rows.flatMap(({ rid, table_rid: tableRid, removal, last }) => {
    if (last === null) return [];
    const micros = BigInt(last);
    const lastSnapshot = { micros, id: encodeId(micros), text: instantText(micros) };
    return [{ rid, tableRid, removal: instantText(BigInt(removal)), lastSnapshot }];
  });
}

interface GoneRow {
  readonly rid: string;
  readonly table_rid: string;
  readonly removal: string;
  readonly last: string | null;
}

/** @param snapshot null for now */
function probes(
  places: readonly (readonly [string, TableStorage])[],
  forms: readonly string[],
  snapshot: bigint | null,
): Sql {
  const at = snapshot === null ? sql`'infinity'::timestamptz` : sql`${instantText(snapshot)}::timestamptz`;
  const probe = ([rid, place]: readonly [string, TableStorage]): Sql =>
    sql`(select h."RID"::text as rid, ${literal(rid)} as table_rid, max(h.hi) as removal
           from ${identifier('_catalog', historyRelation({ rid }))} h
          where h."RID" = any(${forms}::text[]) and h.lo <= ${at}
          group by h."RID" having max(h.hi) <= ${at}${unlessAlive(place, at, snapshot)})`;
  return join(places.map(probe), ' union all ');
}

/** A version may have died because the row was changed: then it lives on in the table. */
function unlessAlive({ live, epoch }: TableStorage, at: Sql, snapshot: bigint | null): Sql {
  if (live === null) return nothing;
  if (snapshot === null) return sql` and not exists (select from ${tableName(live)} l where l."RID" = h."RID")`;
  if (epoch === null || epoch > snapshot) return nothing;
  return sql` and not exists (select from ${tableName(live)} l where l."RID" = h."RID" and l."RMT" <= ${at})`;
}
