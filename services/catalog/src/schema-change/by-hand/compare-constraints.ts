import { initialAcls } from '@holdfast/acl';
import { byOid, type ComparedTable, type Comparison, keep, type Rids, type RowOfKind, ridsOf } from './comparison.js';
import type { DatabaseForeignKey, DatabaseKey } from './database-objects.js';
import { pairUp } from './pairs.js';

/** A key that is there, real or pseudo. */
export interface KnownKey {
  readonly rid: string;
  /** RIDs. */
  readonly columns: readonly string[];
  readonly pseudo: boolean;
}

/** Compares the keys of one table; the pseudo keys of a view stay as long as their columns. */
export function compareKeys(
  comparison: Comparison,
  { rid: parent, relation }: ComparedTable,
  rows: readonly RowOfKind<'key'>[],
  columnRids: Rids,
): readonly KnownKey[] {
  const pseudo = rows.filter(({ doc }) => doc.pseudo === true);
  const present = new Set(columnRids.values());
  const standing = pseudo.filter(({ doc }) => doc.columns.every((rid) => present.has(rid)));
  for (const row of standing) keep(comparison, row, parent, {});
  const known: KnownKey[] = standing.map(({ rid, doc }) => ({ rid, columns: doc.columns, pseudo: true }));
  const keys = comparison.database.keys.get(relation.oid) ?? [];
  const real = rows.filter(({ doc }) => doc.pseudo !== true);
  const pairs = pairUp(real, keys, [byOid(comparison), byNameAndColumns(columnRids)]);
  // where two constraints have the same columns, the one that is known comes first
  const ordered = [...keys].sort((a, b) => Number(pairs.has(b)) - Number(pairs.has(a)));
  for (const key of ordered) {
    const { oid, name } = key;
    const columns = ridsOf(key.columns, columnRids);
    if (columns === null) {
      comparison.hidden.push(`key ${name} of ${relation.name}: one of its columns is hidden`);
      continue;
    }
    if (known.some((other) => sameMembers(other.columns, columns))) {
      comparison.hidden.push(`key ${name} of ${relation.name}: another key has the same columns`);
      continue;
    }
    const row = pairs.get(key);
    const rid = row?.rid ?? comparison.nextRid();
    known.push({ rid, columns, pseudo: false });
    if (row !== undefined) keep(comparison, row, parent, { name, columns, oid });
    else comparison.added.push({ rid, kind: 'key', parent, doc: { name, columns, comment: null } });
  }
  return known;
}

/** Compares the foreign keys of all tables; pseudo foreign keys stay as long as their columns and their key. */
export function compareForeignKeys(
  comparison: Comparison,
  tables: readonly ComparedTable[],
  rows: readonly RowOfKind<'foreign_key'>[],
  columns: ReadonlyMap<number, Rids>,
  keys: ReadonlyMap<number, readonly KnownKey[]>,
): void {
  const present = new Set([...columns.values()].flatMap((rids) => [...rids.values()]));
  const presentKeys = new Set([...keys.values()].flatMap((known) => known.map(({ rid }) => rid)));
  for (const row of rows.filter(({ doc }) => doc.pseudo === true)) {
    const stands = [...row.doc.columns, ...row.doc.referenced].every((rid) => present.has(rid));
    if (stands && presentKeys.has(row.doc.key)) keep(comparison, row, row.parent, {});
  }
  const byTable = new Map(tables.map((table) => [table.relation.oid, table]));
  for (const table of tables) {
    const real = rows.filter(({ parent, doc }) => parent === table.rid && doc.pseudo !== true);
    const constraints = comparison.database.foreignKeys.filter(({ relation }) => relation === table.relation.oid);
    const own = columns.get(table.relation.oid) ?? new Map();
    const pairs = pairUp(real, constraints, [byOid(comparison), byNameAndColumns(own)]);
    for (const constraint of constraints) {
      const row = pairs.get(constraint) ?? null;
      const target = byTable.get(constraint.referencedRelation);
      compareForeignKey(comparison, table, constraint, row, {
        own: ridsOf(constraint.columns, own),
        referenced: ridsOf(constraint.referencedColumns, columns.get(constraint.referencedRelation)),
        keys: target === undefined ? [] : (keys.get(target.relation.oid) ?? []),
      });
    }
  }
}

function compareForeignKey(
  comparison: Comparison,
  { rid: parent, relation }: ComparedTable,
  { oid, name, onDelete, onUpdate }: DatabaseForeignKey,
  row: RowOfKind<'foreign_key'> | null,
  ends: {
    readonly own: readonly string[] | null;
    readonly referenced: readonly string[] | null;
    readonly keys: readonly KnownKey[];
  },
): void {
  const { own, referenced } = ends;
  const key =
    referenced === null
      ? undefined
      : ends.keys.find(({ columns, pseudo }) => !pseudo && sameMembers(columns, referenced));
  if (own === null || referenced === null || key === undefined) {
    comparison.hidden.push(`foreign key ${name} of ${relation.name}: a column or the key it refers to is hidden`);
    return;
  }
  const doc = { name, columns: own, key: key.rid, referenced, on_delete: onDelete, on_update: onUpdate };
  if (row !== null) {
    keep(comparison, row, parent, { ...doc, oid });
    return;
  }
  const place = { rid: comparison.nextRid(), parent };
  const acls = initialAcls('foreign_key', { clientId: '', ownsParent: true, input: {} });
  comparison.added.push(
    { ...place, kind: 'foreign_key', doc: { ...doc, comment: null } },
    { ...place, kind: 'acl', doc: acls },
  );
}

/** A constraint made again, with other actions for instance, is the same one. */
function byNameAndColumns(columnRids: Rids) {
  return {
    ofElement: ({ doc }: { readonly doc: { readonly name: string; readonly columns: readonly string[] } }) =>
      JSON.stringify([doc.name, doc.columns]),
    ofThing: ({ name, columns }: DatabaseKey) => JSON.stringify([name, ridsOf(columns, columnRids)]),
  };
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((member) => b.includes(member));
}
