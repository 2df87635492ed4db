/** How a type is stored and compared by PostgreSQL: the base type under a domain or serial type. */
export type StorageType =
  | 'boolean'
  | 'int2'
  | 'int4'
  | 'int8'
  | 'float4'
  | 'float8'
  | 'numeric'
  | 'text'
  | 'date'
  | 'timestamptz'
  | 'timestamp'
  | 'time'
  | 'timetz'
  | 'interval'
  | 'uuid'
  | 'json'
  | 'jsonb'
  | 'oid'
  | 'tstzrange';

/** A column type of the catalogue (spec/catalog-data.md 5.1). */
export type ColumnType = ScalarType | ArrayType;

export interface ScalarType {
  readonly kind: 'scalar';
  /** Canonical name, `int4` or `markdown`; the five system types carry the neutral name, `rid`. */
  readonly name: string;
  readonly storage: StorageType;
  /** `domain`: stored as a domain of schema `_catalog`; `serial`: an integer with a sequence of its own. */
  readonly form: 'base' | 'domain' | 'serial';
  /** May be asked for when a column is made. */
  readonly creatable: boolean;
}

export interface ArrayType {
  readonly kind: 'array';
  readonly element: ScalarType;
}

interface TypeRow {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly storage: StorageType;
  readonly form?: ScalarType['form'];
  readonly creatable?: boolean;
  /** Whether arrays of it may be made. */
  readonly array?: boolean;
}

/** Spec/catalog-data.md 5.1, one row a type. */
const rows: readonly TypeRow[] = [
  { name: 'boolean', aliases: ['bool'], storage: 'boolean', array: true },
  { name: 'int2', aliases: ['smallint'], storage: 'int2', array: true },
  { name: 'int4', aliases: ['integer', 'int'], storage: 'int4', array: true },
  { name: 'int8', aliases: ['bigint'], storage: 'int8', array: true },
  { name: 'float4', aliases: ['real'], storage: 'float4', array: true },
  { name: 'float8', aliases: ['double precision'], storage: 'float8', array: true },
  { name: 'numeric', aliases: ['decimal'], storage: 'numeric', array: true },
  { name: 'serial2', aliases: ['smallserial'], storage: 'int2', form: 'serial' },
  { name: 'serial4', aliases: ['serial'], storage: 'int4', form: 'serial' },
  { name: 'serial8', aliases: ['bigserial'], storage: 'int8', form: 'serial' },
  { name: 'text', aliases: ['character varying'], storage: 'text', array: true },
  { name: 'date', storage: 'date', array: true },
  { name: 'timestamptz', aliases: ['timestamp with time zone'], storage: 'timestamptz', array: true },
  { name: 'timestamp', aliases: ['timestamp without time zone'], storage: 'timestamp', array: true },
  { name: 'time', aliases: ['time without time zone'], storage: 'time', array: true },
  { name: 'timetz', aliases: ['time with time zone'], storage: 'timetz', array: true },
  { name: 'interval', storage: 'interval', array: true },
  { name: 'uuid', storage: 'uuid', array: true },
  { name: 'json', storage: 'json', array: true },
  { name: 'jsonb', storage: 'jsonb', array: true },
  { name: 'longtext', storage: 'text', form: 'domain', array: true },
  { name: 'markdown', storage: 'text', form: 'domain', array: true },
  { name: 'gene_sequence', storage: 'text', form: 'domain', array: true },
  { name: 'color_rgb_hex', storage: 'text', form: 'domain', array: true },
  { name: 'uri', storage: 'text', form: 'domain', array: true },
  { name: 'url', storage: 'text', form: 'domain', array: true },
  { name: 'curie', storage: 'text', form: 'domain', array: true },
  { name: 'ermrest_uri', storage: 'text', form: 'domain' },
  { name: 'ermrest_curie', storage: 'text', form: 'domain' },
  { name: 'rid', aliases: ['ermrest_rid'], storage: 'text', form: 'domain' },
  { name: 'rct', aliases: ['ermrest_rct'], storage: 'timestamptz', form: 'domain' },
  { name: 'rmt', aliases: ['ermrest_rmt'], storage: 'timestamptz', form: 'domain' },
  { name: 'rcb', aliases: ['ermrest_rcb'], storage: 'text', form: 'domain' },
  { name: 'rmb', aliases: ['ermrest_rmb'], storage: 'text', form: 'domain' },
  { name: 'oid', storage: 'oid', creatable: false },
  { name: 'tstzrange', storage: 'tstzrange', creatable: false },
];

/** Type names whose outward form depends on the wire profile (`systemTypePrefix`). */
export const systemTypeNames: ReadonlySet<string> = new Set(['rid', 'rct', 'rmt', 'rcb', 'rmb']);

const scalars: ReadonlyMap<string, { readonly type: ScalarType; readonly array: boolean }> = new Map(
  rows.flatMap((row) => {
    const type: ScalarType = Object.freeze({
      kind: 'scalar',
      name: row.name,
      storage: row.storage,
      form: row.form ?? 'base',
      creatable: row.creatable ?? true,
    });
    const entry = { type, array: row.array ?? false };
    return [row.name, ...(row.aliases ?? [])].map((name) => [name, entry] as const);
  }),
);

/**
 * Finds a type by canonical name or alias, `[]` behind it for an array.
 * @returns null when there is no such type, or no arrays of it
 */
export function columnType(name: string): ColumnType | null {
  const isArray = name.endsWith('[]');
  const entry = scalars.get(isArray ? name.slice(0, -2) : name);
  if (entry === undefined) return null;
  if (!isArray) return entry.type;
  return entry.array ? { kind: 'array', element: entry.type } : null;
}

/** Canonical name: `int4`, `text[]`. */
export function typeName(type: ColumnType): string {
  return type.kind === 'array' ? `${type.element.name}[]` : type.name;
}

/** The scalar type of a value or of the elements of an array. */
export function scalarOf(type: ColumnType): ScalarType {
  return type.kind === 'array' ? type.element : type;
}

/** PostgreSQL's name of the storage, for casts: `int4`, `text[]`. */
export function storageName(type: ColumnType): string {
  return type.kind === 'array' ? `${type.element.storage}[]` : type.storage;
}

/**
 * PostgreSQL's name of the declared type, for DDL: a domain is qualified with its schema; a serial type is its integer.
 */
export function declaredName(type: ColumnType): string {
  const scalar = scalarOf(type);
  const name = scalar.form === 'domain' ? `_catalog.${scalar.name}` : scalar.storage;
  return type.kind === 'array' ? `${name}[]` : name;
}

const ordered: ReadonlySet<StorageType> = new Set([
  'int2',
  'int4',
  'int8',
  'float4',
  'float8',
  'numeric',
  'text',
  'date',
  'time',
  'timetz',
  'timestamp',
  'timestamptz',
]);
const numbers: ReadonlySet<StorageType> = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']);
const binnable: ReadonlySet<StorageType> = new Set([
  'date',
  'float4',
  'float8',
  'int2',
  'int4',
  'int8',
  'numeric',
  'timestamp',
  'timestamptz',
]);

/** What the type catalogue allows on a type (spec/catalog-data.md 5.1, 3.6, 3.7). */
export function supports(type: ColumnType, operation: 'minmax' | 'avgsum' | 'bin' | 'equality'): boolean {
  const { storage } = scalarOf(type);
  switch (operation) {
    case 'minmax':
      return ordered.has(storage);
    case 'avgsum':
      return type.kind === 'scalar' && numbers.has(storage);
    case 'bin':
      return type.kind === 'scalar' && binnable.has(storage);
    case 'equality':
      return storage !== 'json';
    default:
      return operation satisfies never;
  }
}
