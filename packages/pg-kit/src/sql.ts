/**
 * SQL text with its parameters. Made only by {@link sql}, {@link identifier}, {@link join} and {@link literal}, so that no value
 * ever becomes part of the text by accident (design decision 9).
 */
export interface Sql {
  readonly kind: 'sql';
  /** Texts around the values: always one more than there are values. */
  readonly texts: readonly string[];
  readonly values: readonly SqlValue[];
}

/** What may be sent as a parameter. Arrays become PostgreSQL arrays; documents are sent as text and cast in the SQL. */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Buffer
  | readonly (string | number | bigint | null)[];

/** Text and parameters as the driver takes them. */
export interface CompiledSql {
  readonly text: string;
  readonly values: SqlValue[];
}

/**
 * Template tag: a value becomes a parameter, a fragment is spliced in with its own parameters.
 * @example sql`select * from ${identifier('zoo', 'animal')} where id = ${id}`
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  const texts: string[] = [strings[0] ?? ''];
  const values: SqlValue[] = [];
  parts.forEach((part, index) => {
    append(texts, values, isSql(part) ? part : { kind: 'sql', texts: ['', ''], values: [part] });
    texts[texts.length - 1] += strings[index + 1] ?? '';
  });
  return { kind: 'sql', texts, values };
}

/** Nothing at all: for optional parts. */
export const nothing: Sql = { kind: 'sql', texts: [''], values: [] };

/**
 * A quoted identifier; several names make a qualified one. Names come from the model, never from a request.
 * @throws {TypeError} for NUL, which PostgreSQL cannot hold
 */
export function identifier(...names: readonly string[]): Sql {
  return { kind: 'sql', texts: [names.map(quoteIdentifier).join('.')], values: [] };
}

/** Fragments one after another with a separator written in our own code. */
export function join(fragments: readonly Sql[], separator = ', '): Sql {
  const texts: string[] = [''];
  const values: SqlValue[] = [];
  fragments.forEach((fragment, index) => {
    if (index > 0) texts[texts.length - 1] += separator;
    append(texts, values, fragment);
  });
  return { kind: 'sql', texts, values };
}

/**
 * A string literal inside the text, for the few statements that take no parameters (COPY, DDL).
 * @throws {TypeError} for NUL
 */
export function literal(value: string): Sql {
  return { kind: 'sql', texts: [quoteLiteral(value)], values: [] };
}

/** A fragment from text of our own code, for example a keyword chosen from a table. Never from a request. */
export function trusted(text: string): Sql {
  return { kind: 'sql', texts: [text], values: [] };
}

/** Numbers the parameters: `$1`, `$2`, … */
export function compile(fragment: Sql): CompiledSql {
  const text = fragment.texts.map((part, index) => (index === 0 ? part : `$${index}${part}`)).join('');
  return { text, values: [...fragment.values] };
}

/**
 * Text with all parameters as literals, for COPY, which takes none. Values get an explicit form each; this is the one place
 * where a value enters SQL text, and it is fuzzed (`inline.test.ts`).
 */
export function inline(fragment: Sql): string {
  return fragment.texts
    .map((part, index) => (index === 0 ? part : inlineValue(fragment.values[index - 1] ?? null) + part))
    .join('');
}

function inlineValue(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return quoteLiteral(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number' || typeof value === 'bigint') return quoteLiteral(String(value));
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  return quoteLiteral(arrayText(value));
}

/** PostgreSQL's text form of a one-dimensional array. */
function arrayText(items: readonly (string | number | bigint | null)[]): string {
  const texts = items.map((item) => (item === null ? 'NULL' : `"${String(item).replace(/[\\"]/g, '\\$&')}"`));
  return `{${texts.join(',')}}`;
}

function quoteIdentifier(name: string): string {
  refuseNul(name);
  return `"${name.replaceAll('"', '""')}"`;
}

function quoteLiteral(value: string): string {
  refuseNul(value);
  const doubled = value.replaceAll("'", "''");
  return value.includes('\\') ? ` E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

function refuseNul(text: string): void {
  if (text.includes('\u0000')) throw new TypeError('A text for PostgreSQL may not contain U+0000.');
}

function append(texts: string[], values: SqlValue[], fragment: Sql): void {
  const [first = '', ...rest] = fragment.texts;
  texts[texts.length - 1] += first;
  texts.push(...rest);
  values.push(...fragment.values);
}

function isSql(part: Sql | SqlValue): part is Sql {
  return typeof part === 'object' && part !== null && 'kind' in part && part.kind === 'sql';
}
