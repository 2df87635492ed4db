import { AppError } from '@holdfast/http-kit';
import { supports } from '../model/column-types.js';
import type { DraftTable } from './change-draft.js';
import { constraintName } from './constraint-names.js';
import { type CreationContext, configurationRows } from './creation-context.js';
import type { KeyConstraint } from './ddl.js';
import type { KeyDefinition } from './definitions.js';

/**
 * Adds a key to a table of a change (spec/catalog-model.md 15); the constraint itself is the caller's to make.
 * @throws {AppError} for unknown columns, for columns that are a key already, for a name that is taken
 */
export function addKeyTo(context: CreationContext, table: DraftTable, definition: KeyDefinition): KeyConstraint {
  const { columns } = definition;
  const members = columns.map((name) => {
    const column = table.columns.get(name);
    if (column === undefined)
      throw new AppError('bad_json', `The key names a column ${JSON.stringify(name)}, which is not there.`);
    if (!supports(column.type, 'equality'))
      throw new AppError(
        'not_supported_on_type',
        `The column ${JSON.stringify(name)} has no equality and cannot be in a key.`,
      );
    return column;
  });
  if (table.keys.some((key) => sameSet(key.columns, columns)))
    throw new AppError('conflict', `The columns ${columns.join(', ')} are a key of the table already.`);
  const pseudo = table.relation === 'view';
  const name = takeName(context, table, { wanted: definition.constraintName, columns, suffix: 'key', pseudo });
  const place = { rid: context.draft.nextRid(), parent: table.rid };
  context.draft.elements.push(
    {
      ...place,
      kind: 'key',
      doc: {
        name,
        columns: members.map(({ rid }) => rid),
        comment: definition.comment,
        ...(pseudo ? { pseudo } : {}),
      },
    },
    ...configurationRows(place, {}, definition.annotations),
  );
  table.keys.push({ rid: place.rid, columns, element: null });
  return { name, columns };
}

/** What a constraint is to be called. */
interface NameWish {
  /** Null: the service chooses. */
  readonly wanted: string | null;
  readonly columns: readonly string[];
  readonly suffix: 'key' | 'fkey';
  readonly pseudo: boolean;
}

/**
 * The name asked for, or a free one.
 * @throws {AppError} `name_in_use`
 */
export function takeName({ draft }: CreationContext, table: DraftTable, wish: NameWish): string {
  const { wanted, columns, suffix, pseudo } = wish;
  const taken = pseudo ? draft.takenPseudoNames : table.schema.takenNames;
  if (wanted !== null && taken.has(wanted)) {
    const where = pseudo ? 'among the pseudo constraints of the catalog' : `in the schema ${table.schema.name}`;
    throw new AppError('name_in_use', `The name ${JSON.stringify(wanted)} is taken ${where}.`);
  }
  const name = wanted ?? constraintName(taken, table.name, columns, suffix);
  taken.add(name);
  return name;
}

/** Whether two lists name the same columns, in any order. */
export function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}
