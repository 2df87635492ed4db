import { columnType, typeName } from '../../model/column-types.js';

/** The type of a column as PostgreSQL's system tables have it. */
export interface DeclaredType {
  readonly type: string;
  readonly type_schema: string;
  /** Element of an array. */
  readonly element: string | null;
  readonly element_schema: string | null;
  /** As declared; 0 in views. */
  readonly dimensions: number;
  readonly identity: boolean;
  /** The default as PostgreSQL writes it. */
  readonly expression: string | null;
}

/** Types of tables made by hand that are reported as another one, and PostgreSQL's own short names. */
const builtin: Readonly<Record<string, string>> = { bool: 'boolean', varchar: 'text', bpchar: 'text' };

/** Integers that count by themselves (spec/catalog-data.md 5.1). */
const serials: Readonly<Record<string, string>> = { int2: 'serial2', int4: 'serial4', int8: 'serial8' };

/**
 * The name our catalogue of types has for the type of a column.
 * @returns null for a type that is not in it: such a column is hidden (spec/catalog-model.md 17)
 */
export function typeOfColumn(declared: DeclaredType): string | null {
  if (declared.element !== null) {
    const element = scalarName(declared.element, declared.element_schema);
    return element === null || declared.dimensions > 1 ? null : known(`${element}[]`);
  }
  const scalar = scalarName(declared.type, declared.type_schema);
  if (scalar === null) return null;
  const counts = declared.identity || declared.expression?.startsWith('nextval(') === true;
  return known((counts ? serials[scalar] : undefined) ?? scalar);
}

/** A base type of PostgreSQL, or one of the service's own domains. */
function scalarName(name: string, schema: string | null): string | null {
  if (schema === 'pg_catalog') {
    const type = columnType(builtin[name] ?? name);
    return type?.kind === 'scalar' && type.form === 'base' ? type.name : null;
  }
  const type = schema === '_catalog' ? columnType(name) : null;
  return type?.kind === 'scalar' && type.form === 'domain' ? type.name : null;
}

function known(name: string): string | null {
  const type = columnType(name);
  return type === null ? null : typeName(type);
}
