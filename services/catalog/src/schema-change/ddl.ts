import { identifier, join, literal, nothing, type Sql, sql, trusted } from '@holdfast/pg-kit';
import { declaredName } from '../model/column-types.js';
import { type ReferentialAction, systemColumnOf } from '../model/model.js';
import type { ColumnDefinition } from './definitions.js';
import type { IndexPlan } from './index-plan.js';

/**
 * Statements that change the database of a catalog. They hold no parameters, so that many of them can go in one message. Names come
 * from documents that were checked, and are quoted.
 */

/** A table by the names of its schema and itself. */
export interface Place {
  readonly schema: string;
  readonly table: string;
}

export function createSchema(name: string): Sql {
  return sql`create schema ${identifier(name)}`;
}

export function dropSchema(name: string): Sql {
  return sql`drop schema ${identifier(name)} restrict`;
}

/** A unique constraint with its name. */
export interface KeyConstraint {
  readonly name: string;
  readonly columns: readonly string[];
}

/** @param defaults text of each column's default, as PostgreSQL reads it; by name of the column */
export function createTable(
  place: Place,
  columns: readonly ColumnDefinition[],
  keys: readonly KeyConstraint[],
  defaults: ReadonlyMap<string, string>,
): Sql {
  const lines = [
    ...columns.map((column) => columnClause(column, defaults.get(column.name))),
    ...keys.map((key) => sql`constraint ${identifier(key.name)} unique (${names(key.columns)})`),
  ];
  return sql`create table ${placeOf(place)} (${join(lines)})`;
}

/** What shows as a view may be something else in the database. */
export type RelationKind = 'table' | 'view' | 'materialized view' | 'foreign table';

export function dropTable(place: Place, kind: RelationKind): Sql {
  return sql`drop ${trusted(kind)} ${placeOf(place)}`;
}

export function addColumn(place: Place, column: ColumnDefinition, defaultText: string | undefined): Sql {
  return sql`alter table ${placeOf(place)} add column ${columnClause(column, defaultText)}`;
}

export function dropColumn(place: Place, name: string): Sql {
  return sql`alter table ${placeOf(place)} drop column ${identifier(name)}`;
}

export function addKey(place: Place, key: KeyConstraint): Sql {
  return sql`alter table ${placeOf(place)}
    add constraint ${identifier(key.name)} unique (${names(key.columns)})`;
}

export function dropConstraint(place: Place, name: string): Sql {
  return sql`alter table ${placeOf(place)} drop constraint ${identifier(name)}`;
}

/** A foreign key constraint. */
export interface ForeignKeyConstraint {
  readonly name: string;
  readonly columns: readonly string[];
  readonly referenced: Place;
  readonly referencedColumns: readonly string[];
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
}

/** Deferrable, so that a request can be checked as a whole at its end (spec/catalog-data.md 7.1). */
export function addForeignKey(place: Place, key: ForeignKeyConstraint): Sql {
  return sql`alter table ${placeOf(place)} add constraint ${identifier(key.name)}
    foreign key (${names(key.columns)}) references ${placeOf(key.referenced)} (${names(key.referencedColumns)})
    on delete ${trusted(key.onDelete)} on update ${trusted(key.onUpdate)} deferrable initially immediate`;
}

/**
 * An index that the service adds. Its name is made of a RID, so it never stands in the way of a name that a client chooses.
 * @param owner RID of the column or foreign key it is for
 */
export function createIndex(place: Place, owner: string, plan: IndexPlan): Sql {
  return sql`create index ${identifier(indexName(owner, plan.kind))} on ${placeOf(place)} ${indexTarget(plan)}`;
}

/** The same for a table with rows: built while others read and write, outside of any transaction. */
export function createIndexConcurrently(place: Place, owner: string, plan: IndexPlan): Sql {
  const name = identifier(indexName(owner, plan.kind));
  return sql`create index concurrently ${name} on ${placeOf(place)} ${indexTarget(plan)}`;
}

export function dropIndexConcurrently(schemaName: string, owner: string, plan: IndexPlan): Sql {
  return sql`drop index concurrently if exists ${identifier(schemaName, indexName(owner, plan.kind))}`;
}

/** Drops the index that goes with a foreign key. */
export function dropForeignKeyIndex(schemaName: string, owner: string): Sql {
  return sql`drop index if exists ${identifier(schemaName, indexName(owner, 'btree'))}`;
}

/** Name of an index of the service. */
export function indexName(owner: string, kind: IndexPlan['kind']): string {
  return `${owner}_${kind}`;
}

function indexTarget(plan: IndexPlan): Sql {
  switch (plan.kind) {
    case 'btree':
      return sql`using btree (${names(plan.columns)})`;
    case 'trgm': {
      const column = identifier(plan.column);
      return sql`using gin (${plan.text ? sql`(${column}::text)` : column} _catalog.gin_trgm_ops)`;
    }
    case 'gin_array':
      return sql`using gin (${identifier(plan.column)})`;
    default:
      return plan satisfies never;
  }
}

function columnClause(column: ColumnDefinition, defaultText: string | undefined): Sql {
  const type = trusted(sqlType(column));
  const notNull = column.nullok ? nothing : sql` not null`;
  return sql`${identifier(column.name)} ${type}${notNull}${defaultClause(column, defaultText)}`;
}

function sqlType({ type }: ColumnDefinition): string {
  // PostgreSQL's own serial makes the sequence, ties it to the column and sets the default
  return type.kind === 'scalar' && type.form === 'serial' ? type.name : declaredName(type);
}

function defaultClause(column: ColumnDefinition, text: string | undefined): Sql {
  const system = systemColumnOf(column.name);
  switch (system) {
    case 'RID':
      return sql` default _catalog.next_rid()`;
    case 'RCT':
    case 'RMT':
      return sql` default _catalog.now()`;
    case 'RCB':
    case 'RMB':
      return sql` default _catalog.client()`;
    case null:
      return text === undefined ? nothing : sql` default ${literal(text)}::${trusted(declaredName(column.type))}`;
    default:
      return system satisfies never;
  }
}

function placeOf({ schema, table }: Place): Sql {
  return identifier(schema, table);
}

function names(columns: readonly string[]): Sql {
  return join(columns.map((name) => identifier(name)));
}
