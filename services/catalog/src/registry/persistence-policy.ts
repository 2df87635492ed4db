import { sql } from '@holdfast/pg-kit';
import { beginChange, recordSnapshot } from '../history/change.js';
import type { Registry } from './registry.js';

/**
 * Who says how long a catalog lives (spec/catalog-model.md 5.3): the setting is written into the policy of the registry's own column
 * `is_persistent`, where both ways of setting it look, the creation of catalogs and the editing of entries. Without the setting,
 * only those whom the operator has given the right `update` on the column.
 * @param byOwners whether owners of an entry may
 */
export async function applyPersistencePolicy(registry: Registry, byOwners: boolean): Promise<void> {
  const doc = JSON.stringify(byOwners ? {} : { update_by_owner: false });
  await registry.database.transaction({}, async (connection) => {
    const change = await beginChange(connection, null);
    const [column] = await connection.query<{ readonly rid: string; readonly parent: string; readonly same: boolean }>(
      sql`select c.rid, c.parent, coalesce(b.doc, '{}') = ${doc}::jsonb as same
            from _catalog.elem t
            join _catalog.elem c on c.parent = t.rid and c.kind = 'column' and c.hi = 'infinity'
             and c.doc->>'name' = 'is_persistent'
            left join _catalog.elem b on b.rid = c.rid and b.kind = 'binding' and b.hi = 'infinity'
           where t.kind = 'table' and t.hi = 'infinity' and t.doc->>'builtin' = 'registry'`,
    );
    if (column === undefined || column.same) return;
    await connection.execute(
      sql`update _catalog.elem set hi = ${change.ts}::timestamptz
           where rid = ${column.rid} and kind = 'binding' and hi = 'infinity'`,
    );
    if (!byOwners)
      await connection.execute(
        sql`insert into _catalog.elem (rid, kind, parent, lo, doc)
            values (${column.rid}, 'binding', ${column.parent}, ${change.ts}::timestamptz, ${doc}::jsonb)`,
      );
    await recordSnapshot(connection, change, { model: true, tables: [] });
  });
}
