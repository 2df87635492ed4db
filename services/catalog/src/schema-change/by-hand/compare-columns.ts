import { columnType } from '../../model/column-types.js';
import { type Json, systemColumnOf } from '../../model/model.js';
import { type ComparedTable, type Comparison, keep, type Rids, type RowOfKind } from './comparison.js';
import type { DatabaseColumn } from './database-objects.js';
import { pairUp } from './pairs.js';

/**
 * Compares the columns of one table or view.
 * @returns RIDs by PostgreSQL's number of the column; those of hidden columns are missing
 */
export function compareColumns(
  comparison: Comparison,
  { rid: parent, relation, row: table }: ComparedTable,
  rows: readonly RowOfKind<'column'>[],
): Rids {
  const columns = comparison.database.columns.get(relation.oid) ?? [];
  for (const { name, declared } of columns.filter(({ type }) => type === null))
    comparison.hidden.push(`column ${relation.name}.${name}: the type ${declared} is not supported`);
  const shown = columns.filter((column): column is DatabaseColumn & { readonly type: string } => column.type !== null);
  // the numbers of a view that was made again say nothing
  const numbered = !comparison.restored && table?.doc.oid === relation.oid;
  const pairs = pairUp(rows, shown, [
    {
      ofElement: ({ doc }) => (numbered && doc.attnum !== undefined ? String(doc.attnum) : null),
      ofThing: ({ number }) => String(number),
    },
    {
      ofElement: ({ doc }) => (numbered && doc.attnum !== undefined ? null : doc.name),
      ofThing: ({ name }) => name,
    },
  ]);
  const rids = new Map<number, string>();
  for (const column of shown) {
    const { number, name, type, nullok, comment } = column;
    const row = pairs.get(column);
    const rid = row?.rid ?? comparison.nextRid();
    rids.set(number, rid);
    const doc = { name, type, nullok, default: shownDefault(column) };
    if (row !== undefined) keep(comparison, row, parent, { ...doc, attnum: number });
    else comparison.added.push({ rid, kind: 'column', parent, doc: { ...doc, comment } });
  }
  return rids;
}

/** Documents show none for system columns and serial types (spec/catalog-model.md 8). */
function shownDefault({ name, type, default: value }: DatabaseColumn): Json {
  const known = type === null ? null : columnType(type);
  const serial = known?.kind === 'scalar' && known.form === 'serial';
  return serial || systemColumnOf(name) !== null ? null : value;
}
