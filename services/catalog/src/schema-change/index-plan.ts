import { AppError } from '@holdfast/http-kit';
import { type ColumnType, scalarOf, supports, typeName } from '../model/column-types.js';
import type { Annotations, Json } from '../model/model.js';

/** What the indexing-preferences annotations say for one column (spec/catalog-model.md 20). */
export interface IndexHints {
  readonly btree: Hint<boolean | readonly string[]>;
  readonly trgm: Hint<boolean>;
  readonly ginArray: Hint<boolean>;
}

/** `near`: set on the column or its table, not just inherited from schema, catalog or the built-in default. */
export interface Hint<Value> {
  readonly value: Value;
  readonly near: boolean;
}

/** What a column is to the keys and foreign keys of its table. */
export interface IndexedColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** Whether an index of a key or of a foreign key begins with it. */
  readonly leads: boolean;
}

/** An index beside those of keys and foreign keys. */
export type IndexPlan =
  | { readonly kind: 'btree'; readonly columns: readonly string[] }
  /** `text`: the index is on the column's text form. */
  | { readonly kind: 'trgm'; readonly column: string; readonly text: boolean }
  | { readonly kind: 'gin_array'; readonly column: string };

/** Types of long texts: a btree entry has room for 2,700 bytes, so they get none unless it is asked for nearby. */
const longTypes: ReadonlySet<string> = new Set(['longtext', 'markdown', 'gene_sequence']);

/** Which indexes a new column gets. */
export function planIndexes(column: IndexedColumn, hints: IndexHints): readonly IndexPlan[] {
  return [...btrees(column, hints.btree), ...trigrams(column, hints.trgm), ...arrays(column, hints.ginArray)];
}

function btrees({ name, type, leads }: IndexedColumn, hint: IndexHints['btree']): readonly IndexPlan[] {
  if (typeof hint.value !== 'boolean') return [{ kind: 'btree', columns: hint.value }];
  const fits = !longTypes.has(typeName(type)) || hint.near;
  return hint.value && !leads && fits && supports(type, 'equality') ? [{ kind: 'btree', columns: [name] }] : [];
}

/** Text-like types by default; on numbers, dates and identifiers of rows they would cost much and be used by nobody. */
function trigrams({ name, type }: IndexedColumn, hint: Hint<boolean>): readonly IndexPlan[] {
  const { storage } = scalarOf(type);
  const textLike = storage === 'text' || storage === 'json' || storage === 'jsonb';
  const system = ['rid', 'rcb', 'rmb'].includes(typeName(type));
  // the text form of an array is not an immutable expression in PostgreSQL, so it cannot be indexed
  if (!hint.value || type.kind === 'array') return [];
  if (!(textLike && !system) && !(hint.near && (textLike || immutableText.has(storage)))) return [];
  return [{ kind: 'trgm', column: name, text: storage !== 'text' }];
}

/** Other types whose conversion to text does not depend on settings of the session. */
const immutableText: ReadonlySet<string> = new Set(['boolean', 'int2', 'int4', 'int8', 'numeric', 'uuid']);

function arrays({ name, type }: IndexedColumn, hint: Hint<boolean>): readonly IndexPlan[] {
  return hint.value && type.kind === 'array' && supports(type, 'equality') ? [{ kind: 'gin_array', column: name }] : [];
}

/** Annotations of one column's place, the most specific first. */
export interface HintSources {
  readonly column: Annotations;
  readonly table: Annotations;
  readonly schema: Annotations;
  readonly catalog: Annotations;
}

/**
 * Blends the annotations of four levels, hint by hint: the most specific level that has it decides.
 * @param registrants authorities of the annotation's key, the preferred one first
 * @throws {AppError} `bad_json` for a `btree` list with something else than strings
 */
export function blendHints(sources: HintSources, registrants: readonly string[]): IndexHints {
  const levels = [sources.column, sources.table, sources.schema, sources.catalog].map((annotations) =>
    preferences(annotations, registrants),
  );
  return {
    btree: pick(levels, 'btree', true, (value) => (Array.isArray(value) ? columnList(value) : asBoolean(value))),
    trgm: pick(levels, 'trgm', true, asBoolean),
    ginArray: pick(levels, 'gin_array', false, asBoolean),
  };
}

/** Date and name of the annotation's key; its authority is a deployment's choice. */
const PREFERENCES_SUFFIX = ',2018:indexing-preferences';

/** Key of the annotation as this deployment writes it. */
export function preferencesKey(registrant: string): string {
  return `tag:${registrant}${PREFERENCES_SUFFIX}`;
}

/** The annotation under any authority: that of a configured registrant wins, then the first in order of text. */
function preferences(annotations: Annotations, registrants: readonly string[]): Readonly<Record<string, Json>> {
  const keys = Object.keys(annotations).filter((key) => /^tag:[^,]+,2018:indexing-preferences$/.test(key));
  const preferred = registrants.map(preferencesKey).find((key) => keys.includes(key));
  const value = annotations[preferred ?? keys.sort()[0] ?? ''];
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};
}

function pick<Value>(
  levels: readonly Readonly<Record<string, Json>>[],
  name: string,
  builtin: Value,
  read: (value: Json) => Value | undefined,
): Hint<Value> {
  for (const [index, level] of levels.entries()) {
    const given = level[name];
    const value = given === undefined ? undefined : read(given);
    if (value !== undefined) return { value, near: index < 2 };
  }
  return { value: builtin, near: false };
}

function asBoolean(value: Json): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Columns of an index: PostgreSQL's limit. */
const MOST_INDEX_COLUMNS = 32;

function columnList(value: readonly Json[]): readonly string[] {
  if (value.length === 0 || value.length > MOST_INDEX_COLUMNS)
    throw new AppError('bad_json', `indexing-preferences: a btree list names 1 to ${MOST_INDEX_COLUMNS} columns.`);
  return value.map((name) => {
    if (typeof name === 'string') return name;
    throw new AppError('bad_json', 'indexing-preferences: a btree list holds names of columns.');
  });
}
