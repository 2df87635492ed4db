import { initialAcls } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import type { ChangeDraft, DraftColumn, DraftKey, DraftTable } from './change-draft.js';
import { sameSet, takeName } from './create-key.js';
import { type CreationContext, configurationRows, creatorId } from './creation-context.js';
import { addForeignKey } from './ddl.js';
import type { ForeignKeyDefinition, TableName } from './definitions.js';
import { addIndex, hintsOf } from './index-columns.js';

/**
 * Adds a foreign key with its index to a table of a change (spec/catalog-model.md 16.3).
 * @returns its RID
 * @throws {AppError} `unknown_element` for what is not there or not visible, `conflict` when no key is referred to
 */
export function addForeignKeyTo(context: CreationContext, table: DraftTable, definition: ForeignKeyDefinition): string {
  const { draft } = context;
  const referenced = referencedTable(context, definition.referencedTable);
  const columns = definition.columns.map((name) => columnOf(context, table, name));
  const referencedColumns = definition.referencedColumns.map((name) => columnOf(context, referenced, name));
  const key = referencedKey(context, referenced, definition.referencedColumns);
  if (table.foreignKeys.some((known) => sameMapping(known, definition, key)))
    throw new AppError('conflict', 'The table has a foreign key with these columns already.');
  const pseudo = table.relation === 'view' || referenced.relation === 'view';
  const constraintName = takeName(context, table, {
    wanted: definition.constraintName,
    columns: definition.columns,
    suffix: 'fkey',
    pseudo,
  });
  const place = { rid: draft.nextRid(), parent: table.rid };
  const acls = initialAcls('foreign_key', { clientId: creatorId(context), ownsParent: true, input: definition.acls });
  const { onDelete, onUpdate, comment, annotations } = definition;
  draft.elements.push(
    {
      ...place,
      kind: 'foreign_key',
      doc: {
        name: constraintName,
        columns: columns.map(({ rid }) => rid),
        key: key.rid,
        referenced: referencedColumns.map(({ rid }) => rid),
        on_delete: onDelete,
        on_update: onUpdate,
        comment,
        ...(pseudo ? { pseudo } : {}),
      },
    },
    ...configurationRows(place, acls, annotations),
  );
  draft.bindings.push({ rid: place.rid, definitions: definition.bindings });
  const indexed = inKeyOrder(definition, key);
  table.foreignKeys.push({
    columns: definition.columns,
    leading: indexed[0] ?? '',
    keyRid: key.rid,
    referencedColumns: definition.referencedColumns,
  });
  if (!pseudo) {
    draft.ddl.push(
      addForeignKey(
        { schema: table.schema.name, table: table.name },
        {
          name: constraintName,
          columns: definition.columns,
          referenced: { schema: referenced.schema.name, table: referenced.name },
          referencedColumns: definition.referencedColumns,
          onDelete,
          onUpdate,
        },
      ),
    );
    indexForeignKey(context, table, place.rid, indexed);
  }
  return place.rid;
}

function referencedTable(context: CreationContext, name: TableName): DraftTable {
  const table = visibleTable(context.draft, context, name);
  if (table === null)
    throw new AppError(
      'unknown_element',
      `There is no table ${JSON.stringify(name.schema)}:${JSON.stringify(name.table)}.`,
    );
  return table;
}

/** A table the client may see, or one that the request itself makes. */
function visibleTable(draft: ChangeDraft, { rights }: CreationContext, name: TableName): DraftTable | null {
  const table = draft.table(name.schema, name.table);
  if (table === null || table.isNew) return table;
  return rights.always(table.element, 'enumerate') ? table : null;
}

/** A column the client may see, or one that the request itself makes. */
function columnOf({ rights }: CreationContext, table: DraftTable, name: string): DraftColumn {
  const column = table.columns.get(name);
  if (column !== undefined && (column.element === null || rights.always(column.element, 'enumerate'))) return column;
  throw new AppError('unknown_element', `The table ${table.name} has no column ${JSON.stringify(name)}.`);
}

function referencedKey({ rights }: CreationContext, table: DraftTable, columns: readonly string[]): DraftKey {
  const key = table.keys.find((candidate) => sameSet(candidate.columns, columns));
  const visible = key !== undefined && (key.element === null || rights.always(key.element, 'enumerate'));
  if (key === undefined || !visible)
    throw new AppError('conflict', `The columns ${columns.join(', ')} are not a key of the table ${table.name}.`);
  return key;
}

function sameMapping(known: DraftTable['foreignKeys'][number], wanted: ForeignKeyDefinition, key: DraftKey): boolean {
  if (known.keyRid !== key.rid || known.columns.length !== wanted.columns.length) return false;
  return known.columns.every((name, index) => {
    const position = wanted.columns.indexOf(name);
    return position >= 0 && wanted.referencedColumns[position] === known.referencedColumns[index];
  });
}

/** The referencing columns in the order of the referenced key. */
function inKeyOrder(definition: ForeignKeyDefinition, key: DraftKey): readonly string[] {
  return key.columns.map((name) => definition.columns[definition.referencedColumns.indexOf(name)] ?? '');
}

/**
 * The index that finds referencing rows (20). Hints do not suppress it, but a custom list on its first column takes its place.
 */
function indexForeignKey(context: CreationContext, table: DraftTable, rid: string, columns: readonly string[]): void {
  const first = table.columns.get(columns[0] ?? '')?.annotations ?? {};
  if (Array.isArray(hintsOf(context, table, first).btree.value)) return;
  addIndex(context, table, rid, { kind: 'btree', columns });
}
