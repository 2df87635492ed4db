import { identifier, join, literal, type Sql, sql, trusted } from '@holdfast/pg-kit';
import { type ColumnType, declaredName } from '../model/column-types.js';
import { addForeignKey, type ForeignKeyConstraint, type Place } from './ddl.js';

/** Statements that change what is there; like those of `ddl.ts` they hold no parameters. ALTER TABLE is good for views, too. */

export function renameSchema(name: string, newName: string): Sql {
  return sql`alter schema ${identifier(name)} rename to ${identifier(newName)}`;
}

export function renameTable({ schema, table }: Place, newName: string): Sql {
  return sql`alter table ${identifier(schema, table)} rename to ${identifier(newName)}`;
}

/** Keys, indexes, foreign keys and sequences go along. */
export function moveTable({ schema, table }: Place, newSchema: string): Sql {
  return sql`alter table ${identifier(schema, table)} set schema ${identifier(newSchema)}`;
}

export function renameColumn({ schema, table }: Place, name: string, newName: string): Sql {
  return sql`alter table ${identifier(schema, table)} rename column ${identifier(name)} to ${identifier(newName)}`;
}

/** The index of a key is renamed with it. */
export function renameConstraint({ schema, table }: Place, name: string, newName: string): Sql {
  return sql`alter table ${identifier(schema, table)} rename constraint ${identifier(name)} to ${identifier(newName)}`;
}

/** What is to become of a column; what is undefined stays. */
export interface ColumnChange {
  readonly type: ColumnType | undefined;
  readonly nullok: boolean | undefined;
  /** Text as PostgreSQL reads it, in the type that the column then has; null: no default. */
  readonly defaultText: string | null | undefined;
}

/**
 * One pass over the table for all of it. A default goes first and comes back last: PostgreSQL would convert it by rules of its own.
 * @param type of the column after the change
 */
export function alterColumn({ schema, table }: Place, name: string, change: ColumnChange, type: ColumnType): Sql {
  const column = sql`alter column ${identifier(name)}`;
  const declared = trusted(declaredName(type));
  const { defaultText } = change;
  const actions = [
    ...(defaultText === undefined ? [] : [sql`${column} drop default`]),
    ...(change.type === undefined ? [] : [sql`${column} type ${declared} using ${identifier(name)}::${declared}`]),
    ...(typeof defaultText === 'string' ? [sql`${column} set default ${literal(defaultText)}::${declared}`] : []),
    ...(change.nullok === undefined
      ? []
      : [sql`${column} ${trusted(change.nullok ? 'drop not null' : 'set not null')}`]),
  ];
  return sql`alter table ${identifier(schema, table)} ${join(actions)}`;
}

/** An index of the service by its owner's RID, if it is there. */
export function dropColumnIndex(schema: string, owner: string, kind: 'btree' | 'trgm' | 'gin_array'): Sql {
  return sql`drop index if exists ${identifier(schema, `${owner}_${kind}`)}`;
}

/**
 * Another foreign key in the place of one: PostgreSQL cannot change the actions of a foreign key. NOT VALID keeps it from reading the
 * tables: the rows satisfy the constraint already (spec/catalog-model.md 16.4).
 */
export function replaceForeignKey(place: Place, name: string, key: ForeignKeyConstraint): readonly Sql[] {
  return [
    sql`alter table ${identifier(place.schema, place.table)} drop constraint ${identifier(name)}`,
    sql`${addForeignKey(place, key)} not valid`,
  ];
}

/** Reads the table while others read and write it; nothing is done for a constraint that is valid. */
export function validateConstraint({ schema, table }: Place, name: string): Sql {
  return sql`alter table ${identifier(schema, table)} validate constraint ${identifier(name)}`;
}
