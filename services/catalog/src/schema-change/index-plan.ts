import { AppError } from '@holdfast/http-kit';
import { type ColumnType, scalarOf, supports, typeName } from '../model/column-types.js';
import type { Annotations, Json } from '../model/model.js';

/** What the indexing-preferences annotations say for one column (spec/catalog-model.md 20). */
export interface IndexHints {
  readonly btree: Hint<boolean | readonly string[]>;
  readonly trgm: Hint<boolean>;
  readonly ginArray: Hint<boolean>;
  /** What the annotations hold that cannot be read and is ignored, for the log: `the table's annotation`. */
  readonly unreadable: readonly string[];
}

export interface Hint<Value> {
  readonly value: Value;
  /** Where it is set; null for the built-in default. */
  readonly level: Level | null;
}

/** The most specific first. */
const levels = ['column', 'table', 'schema', 'catalog'] as const;
type Level = (typeof levels)[number];

/** Whether a hint is set for the column or its table, not just inherited from farther away. */
function isNear({ level }: Hint<unknown>): boolean {
  return level === 'column' || level === 'table';
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
  const fits = !longTypes.has(typeName(type)) || isNear(hint);
  return hint.value && !leads && fits && supports(type, 'equality') ? [{ kind: 'btree', columns: [name] }] : [];
}

/** Text-like types by default; on numbers, dates and identifiers of rows they would cost much and be used by nobody. */
function trigrams({ name, type }: IndexedColumn, hint: Hint<boolean>): readonly IndexPlan[] {
  const { storage } = scalarOf(type);
  const textLike = storage === 'text' || storage === 'json' || storage === 'jsonb';
  const system = ['rid', 'rcb', 'rmb'].includes(typeName(type));
  // the text form of an array is not an immutable expression in PostgreSQL, so it cannot be indexed
  if (!hint.value || type.kind === 'array') return [];
  if (!(textLike && !system) && !(isNear(hint) && (textLike || immutableText.has(storage)))) return [];
  return [{ kind: 'trgm', column: name, text: storage !== 'text' }];
}

/** Other types whose conversion to text does not depend on settings of the session. */
const immutableText: ReadonlySet<string> = new Set(['boolean', 'int2', 'int4', 'int8', 'numeric', 'uuid']);

function arrays({ name, type }: IndexedColumn, hint: Hint<boolean>): readonly IndexPlan[] {
  return hint.value && type.kind === 'array' && supports(type, 'equality') ? [{ kind: 'gin_array', column: name }] : [];
}

/** What hints for a new column ask for in vain, as sentences for the log (spec/catalog-model.md 20). */
export function vainHints(column: IndexedColumn, hints: IndexHints): readonly string[] {
  const { trgm, unreadable } = hints;
  const sentences = unreadable.map((what) => `indexing-preferences: ${what} cannot be read and is ignored.`);
  if (trgm.level !== 'column' || !trgm.value || trigrams(column, trgm).length > 0) return sentences;
  return [...sentences, `indexing-preferences: a column of the type ${typeName(column.type)} gets no trigram index.`];
}

/** Annotations of one column's place. */
export type HintSources = Readonly<Record<Level, Annotations>>;

/**
 * Blends the annotations of four levels, hint by hint: the most specific level that has it decides.
 * @param registrants authorities of the annotation's key, the preferred one first
 * @throws {AppError} `bad_json` for a `btree` list with something else than strings
 */
export function blendHints(sources: HintSources, registrants: readonly string[]): IndexHints {
  const given = levels.map((level) => preferences(level, sources[level], registrants));
  return {
    btree: pick(given, 'btree', true, (value) => (Array.isArray(value) ? columnList(value) : asBoolean(value))),
    trgm: pick(given, 'trgm', true, asBoolean),
    ginArray: pick(given, 'gin_array', false, asBoolean),
    unreadable: given.flatMap(unreadableParts),
  };
}

/** Date and name of the annotation's key; its authority is a deployment's choice. */
const PREFERENCES_SUFFIX = ',2018:indexing-preferences';

/** Key of the annotation as this deployment writes it. */
export function preferencesKey(registrant: string): string {
  return `tag:${registrant}${PREFERENCES_SUFFIX}`;
}

/** The annotation of a level; its members are null when it is no object. */
interface Preferences {
  readonly level: Level;
  readonly members: Readonly<Record<string, Json>> | null;
}

/** The annotation under any authority: that of a configured registrant wins, then the first in order of text. */
function preferences(level: Level, annotations: Annotations, registrants: readonly string[]): Preferences {
  const keys = Object.keys(annotations).filter((key) => /^tag:[^,]+,2018:indexing-preferences$/.test(key));
  const preferred = registrants.map(preferencesKey).find((key) => keys.includes(key));
  const key = preferred ?? keys.sort()[0];
  if (key === undefined) return { level, members: {} };
  const value = annotations[key];
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { level, members: isObject ? (value as Readonly<Record<string, Json>>) : null };
}

function pick<Value>(
  given: readonly Preferences[],
  name: HintName,
  builtin: Value,
  read: (value: Json) => Value | undefined,
): Hint<Value> {
  for (const { level, members } of given) {
    const hint = members?.[name];
    const value = hint === undefined ? undefined : read(hint);
    if (value !== undefined) return { value, level };
  }
  return { value: builtin, level: null };
}

const hintNames = ['btree', 'trgm', 'gin_array'] as const;
type HintName = (typeof hintNames)[number];

function unreadableParts({ level, members }: Preferences): readonly string[] {
  if (members === null) return [`the annotation of the ${level}`];
  return hintNames
    .filter((name) => {
      const value = members[name];
      return value !== undefined && typeof value !== 'boolean' && !(name === 'btree' && Array.isArray(value));
    })
    .map((name) => `${name} in the annotation of the ${level}`);
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
