import { hasSystemColumns } from './build-model.js';
import type { ElementRow } from './element-rows.js';
import { capturesHistory } from './history-capture.js';

/**
 * The rows of a model without the tables whose history is not captured, and without what refers to these: at a snapshot they are as if
 * they were not there (spec/catalog-access.md 10.6). Views have no rows of their own to keep.
 */
export function withoutUncaptured(rows: readonly ElementRow[]): readonly ElementRow[] {
  const hidden = hiddenTables(rows);
  if (hidden.size === 0) return rows;
  const keys = new Set(rows.flatMap((row) => (row.kind === 'key' && hidden.has(row.parent) ? [row.rid] : [])));
  return rows.filter((row) => {
    if (hidden.has(row.rid)) return false;
    if (row.kind === 'foreign_key' && keys.has(row.doc.key)) return false;
    return !hidden.has(row.parent);
  });
}

function hiddenTables(rows: readonly ElementRow[]): ReadonlySet<string> {
  const annotations = new Map(rows.flatMap((row) => (row.kind === 'annotation' ? [[row.rid, row.doc] as const] : [])));
  const columns = byParent(ofKind(rows, 'column'));
  const keys = byParent(ofKind(rows, 'key'));
  const tables = ofKind(rows, 'table').filter(
    ({ rid, doc }) =>
      capturesHistory(annotations.get(rid) ?? {}) === false ||
      !hasSystemColumns(doc, columns.get(rid) ?? [], keys.get(rid) ?? []),
  );
  return new Set(tables.map(({ rid }) => rid));
}

function ofKind<Kind extends ElementRow['kind']>(
  rows: readonly ElementRow[],
  kind: Kind,
): readonly Extract<ElementRow, { readonly kind: Kind }>[] {
  return rows.filter((row): row is Extract<ElementRow, { readonly kind: Kind }> => row.kind === kind);
}

function byParent<Row extends { readonly parent: string }>(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.parent);
    if (group === undefined) groups.set(row.parent, [row]);
    else group.push(row);
  }
  return groups;
}
