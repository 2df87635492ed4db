import { compareColumns } from './compare-columns.js';
import { compareForeignKeys, compareKeys, type KnownKey } from './compare-constraints.js';
import {
  byOid,
  type ComparedTable,
  type Comparison,
  type Differences,
  keep,
  type Rids,
  type RowOfKind,
  type StructureRow,
} from './comparison.js';
import type { DatabaseObjects, DatabaseRelation } from './database-objects.js';
import { type Mark, pairUp } from './pairs.js';

/**
 * Compares the model with its database (spec/catalog-model.md 17). OIDs and numbers of columns decide what is the same under another
 * name, so that a renaming by hand keeps RIDs; a table that was dropped and made again is another one. A view has no content of its
 * own, and making it again is how its query is changed: a view of the same name is the same.
 * @param rows live rows of the model
 */
export function compareWithDatabase(
  rows: readonly StructureRow[],
  database: DatabaseObjects,
  options: Pick<Comparison, 'restored' | 'nextRid'>,
): Differences {
  const comparison: Comparison = {
    ...options,
    database,
    added: [],
    changed: [],
    retied: [],
    hidden: [],
    kept: new Set(),
  };
  const schemas = compareSchemas(comparison, ofKind(rows, 'schema'));
  const tables = compareTables(comparison, ofKind(rows, 'table'), schemas);
  const columnRows = byParent(ofKind(rows, 'column'));
  const keyRows = byParent(ofKind(rows, 'key'));
  const keys = new Map<number, readonly KnownKey[]>();
  const columns = new Map<number, Rids>();
  for (const table of tables) {
    const rids = compareColumns(comparison, table, columnRows.get(table.rid) ?? []);
    columns.set(table.relation.oid, rids);
    keys.set(table.relation.oid, compareKeys(comparison, table, keyRows.get(table.rid) ?? [], rids));
  }
  compareForeignKeys(comparison, tables, ofKind(rows, 'foreign_key'), columns, keys);
  const { added, changed, retied, hidden, kept } = comparison;
  const gone = rows.filter(({ rid }) => !kept.has(rid)).map(({ rid }) => rid);
  return { added, changed, gone, retied, hidden };
}

function compareSchemas(comparison: Comparison, rows: readonly RowOfKind<'schema'>[]): Rids {
  const { restored, database } = comparison;
  const pairs = pairUp(rows, database.schemas, [
    byOid(comparison),
    {
      ofElement: ({ doc }) => (restored || doc.oid === undefined ? doc.name : null),
      ofThing: ({ name }) => name,
    },
  ]);
  const rids = new Map<number, string>();
  for (const schema of database.schemas) {
    const { oid, name, comment } = schema;
    const row = pairs.get(schema);
    const rid = row?.rid ?? comparison.nextRid();
    rids.set(oid, rid);
    if (row !== undefined) keep(comparison, row, row.parent, { name, oid });
    else comparison.added.push({ rid, kind: 'schema', parent: '0', doc: { name, comment } });
  }
  return rids;
}

function compareTables(
  comparison: Comparison,
  rows: readonly RowOfKind<'table'>[],
  schemas: Rids,
): readonly ComparedTable[] {
  const { restored, database } = comparison;
  const byName: Mark<RowOfKind<'table'>, DatabaseRelation> = {
    ofElement: ({ parent, doc }) =>
      restored || doc.relation === 'view' || doc.oid === undefined
        ? JSON.stringify([parent, doc.relation, doc.name])
        : null,
    ofThing: ({ schema, kind, name }) => JSON.stringify([schemas.get(schema), kind, name]),
  };
  const pairs = pairUp(rows, database.relations, [byOid(comparison), byName]);
  return database.relations.flatMap((relation) => {
    const { oid, name, kind, comment } = relation;
    const parent = schemas.get(relation.schema);
    if (parent === undefined) return [];
    const row = pairs.get(relation) ?? null;
    const rid = row?.rid ?? comparison.nextRid();
    if (row !== null) keep(comparison, row, parent, { name, oid });
    else comparison.added.push({ rid, kind: 'table', parent, doc: { name, relation: kind, comment } });
    return [{ rid, relation, row }];
  });
}

function ofKind<Kind extends StructureRow['kind']>(
  rows: readonly StructureRow[],
  kind: Kind,
): readonly RowOfKind<Kind>[] {
  return rows.filter((row): row is RowOfKind<Kind> => row.kind === kind);
}

function byParent<Row extends StructureRow>(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.parent);
    if (group === undefined) groups.set(row.parent, [row]);
    else group.push(row);
  }
  return groups;
}
