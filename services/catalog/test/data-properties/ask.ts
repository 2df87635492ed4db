import { encodeValue } from '@holdfast/path-grammar';
import { type Cell, type ColumnKind, kinds, literalOf, readLiteral, shown, textOf } from './cells.js';
import {
  aggregate,
  and,
  bin,
  type Choice,
  type Condition,
  comparison,
  equal,
  examples,
  type Joined,
  joinRows,
  not,
  or,
  type Page,
  type Row,
  type SortKey,
  type Truth,
  textMatch,
  unique,
} from './naive.js';
import { type ColumnSketch, type Draw, systemColumns, type TableSketch } from './random-model.js';
import type { Denoted } from './verify.js';

/** A random URL together with what it denotes, worked out beside it. */
export interface Question {
  /** Behind the catalog and its slash. */
  readonly url: string;
  readonly denoted: Denoted;
}

interface Instance {
  readonly index: number;
  readonly table: TableSketch;
  readonly alias: string | null;
}

/** A column of an instance, and how the URL writes it here. */
interface Ref extends ColumnSketch {
  readonly text: string;
  readonly instance: Instance;
}

/** A path that is being made from left to right. */
interface Path {
  readonly draw: Draw;
  readonly tables: readonly TableSketch[];
  readonly instances: Instance[];
  context: Instance;
  url: string;
  rows: readonly Joined[];
  readonly conditions: Condition[];
  /** Whether the context may be null-extended or occur several times. */
  linked: boolean;
}

const MOST_ROWS = 400;

export function randomQuestion(draw: Draw, tables: readonly TableSketch[]): Question | null {
  const table = draw.pick(tables);
  const alias = draw.oneIn(2) ? 'A0' : null;
  const root: Instance = { index: 0, table, alias };
  const path: Path = {
    draw,
    tables,
    instances: [root],
    context: root,
    url: `${aliasText(alias)}${tableText(draw, table)}`,
    rows: table.rows.map((row) => [row]),
    conditions: [],
    linked: false,
  };
  // one condition alone shows best what it lets through
  const alone = draw.oneIn(4);
  if (alone) filterAlone(path);
  for (let steps = alone ? 0 : draw.int(0, 4); steps > 0; steps -= 1) {
    const step = draw.pick([link, link, filter, reset]);
    step(path);
    if (path.rows.length > MOST_ROWS) return null;
  }
  const found = path.rows.filter((row) => path.conditions.every((condition) => condition(row) === true));
  return draw.pick([entity, attribute, attribute, group, group, single])(path, found);
}

// ---- links

function link(path: Path): void {
  if (path.instances.length < 4) path.draw.pick([tableLink, endpointLink, mappingLink])(path);
}

function tableLink(path: Path): void {
  const { draw, context } = path;
  const table = draw.pick(path.tables);
  const ways = [
    ...context.table.foreignKeys.filter(({ to }) => to === table).map((key) => ({ key, forward: true })),
    ...table.foreignKeys.filter(({ to }) => to === context.table).map((key) => ({ key, forward: false })),
  ];
  if (table === context.table || ways.length === 0) return;
  add(path, table, 'inner', tableText(draw, table), (joined, row) =>
    or(
      ways.map(({ key: { columns, toColumns }, forward }) =>
        pairsEqual(joined, context, forward ? columns : toColumns, row, table, forward ? toColumns : columns),
      ),
    ),
  );
}

function endpointLink(path: Path): void {
  const { draw } = path;
  const left = named(path);
  const keys = path.tables.flatMap((table) => table.foreignKeys.map((key) => ({ table, key })));
  const inside = draw.oneIn(2);
  const ends = keys.flatMap(({ table, key }) => [
    { owner: table, columns: key.columns, other: key.to, otherColumns: key.toColumns },
    { owner: key.to, columns: key.toColumns, other: table, otherColumns: key.columns },
  ]);
  // inside the path the columns are those of the named instance; outside, of the table that comes
  const fitting = ends.filter(({ owner, other }) =>
    inside ? owner === left.instance.table : other === path.context.table,
  );
  const end = fitting.length === 0 ? null : draw.pick(fitting);
  if (end === null) return;
  const sameSet = (names: readonly string[]): boolean =>
    JSON.stringify([...names].sort()) === JSON.stringify([...end.columns].sort());
  if (fitting.filter((one) => one.owner === end.owner && sameSet(one.columns)).length !== 1) return;
  const written = draw.oneIn(2) ? end.columns : [...end.columns].reverse();
  const prefix = inside ? left.prefix : `${tableText(draw, end.owner)}:`;
  const list = written.map((column, at) => `${at === 0 ? prefix : ''}${encodeValue(column)}`).join(',');
  const from = inside ? left.instance : path.context;
  const [fromColumns, table, columns] = inside
    ? [end.columns, end.other, end.otherColumns]
    : [end.otherColumns, end.owner, end.columns];
  const type = joinType(draw);
  add(path, table, type, `${type === 'inner' ? '' : type}(${list})`, (joined, row) =>
    pairsEqual(joined, from, fromColumns, row, table, columns),
  );
}

function mappingLink(path: Path): void {
  const { draw } = path;
  const left = named(path);
  const table = draw.pick(path.tables);
  const pairs: { readonly left: ColumnSketch; readonly right: ColumnSketch }[] = [];
  for (let count = draw.int(1, 2); count > 0; count -= 1) {
    const candidates = allColumns(left.instance.table).flatMap((one) =>
      allColumns(table)
        .filter((other) => comparable(one.kind, other.kind))
        .map((other) => ({ left: one, right: other })),
    );
    const meeting = candidates.filter((pair) => meet(left.instance.table, table, pair));
    pairs.push(draw.pick(meeting.length === 0 || draw.oneIn(5) ? candidates : meeting));
  }
  const lefts = pairs.map((pair, at) => `${at === 0 ? left.prefix : ''}${encodeValue(pair.left.name)}`);
  const rights = pairs.map(
    (pair, at) => `${at === 0 ? `${tableText(draw, table)}:` : ''}${encodeValue(pair.right.name)}`,
  );
  const type = joinType(draw);
  add(path, table, type, `${type === 'inner' ? '' : type}(${lefts.join(',')})=(${rights.join(',')})`, (joined, row) =>
    and(
      pairs.map(({ left: one, right: other }) =>
        equal(one.kind.family, joined[left.instance.index]?.[one.name] ?? null, row[other.name] ?? null),
      ),
    ),
  );
}

/** Whether some value stands in both columns: a join over them has something to find. */
function meet(
  left: TableSketch,
  right: TableSketch,
  pair: { readonly left: ColumnSketch; readonly right: ColumnSketch },
): boolean {
  return left.rows.some((one) =>
    right.rows.some(
      (other) => equal(pair.left.kind.family, one[pair.left.name] ?? null, other[pair.right.name] ?? null) === true,
    ),
  );
}

function comparable(a: ColumnKind, b: ColumnKind): boolean {
  return a.family === b.family && a.array === b.array && (!a.array || a.type === b.type);
}

function joinType(draw: Draw): 'inner' | 'left' | 'right' | 'full' {
  return draw.pick(['inner', 'inner', 'left', 'right', 'full']);
}

function pairsEqual(
  joined: Joined,
  left: Instance,
  leftColumns: readonly string[],
  row: Row,
  table: TableSketch,
  rightColumns: readonly string[],
): Truth {
  return and(
    leftColumns.map((column, at) => {
      const other = rightColumns[at] ?? '';
      const family = columnOf(table, other).kind.family;
      return equal(family, joined[left.index]?.[column] ?? null, row[other] ?? null);
    }),
  );
}

function add(
  path: Path,
  table: TableSketch,
  type: 'inner' | 'left' | 'right' | 'full',
  text: string,
  on: (joined: Joined, row: Row) => Truth,
): void {
  const index = path.instances.length;
  const alias = path.draw.oneIn(2) ? `A${index}` : null;
  path.rows = joinRows(path.rows, table.rows, index, type, on);
  path.context = { index, table, alias };
  path.instances.push(path.context);
  path.url += `/${aliasText(alias)}${text}`;
  path.linked = true;
}

function reset(path: Path): void {
  const aliased = path.instances.filter(({ alias }) => alias !== null);
  if (aliased.length === 0) return;
  path.context = path.draw.pick(aliased);
  path.url += `/$${path.context.alias ?? ''}`;
}

// ---- filters

function filter(path: Path): void {
  const { text, condition } = disjunction(path, 2);
  path.url += `/${text}`;
  path.conditions.push(condition);
}

function filterAlone(path: Path): void {
  const { text, condition } = term(path, 0);
  path.url += `/${text}`;
  path.conditions.push(condition);
}

interface Filter {
  readonly text: string;
  readonly condition: Condition;
}

function disjunction(path: Path, depth: number): Filter {
  const parts = several(path.draw, () => conjunction(path, depth));
  return {
    text: parts.map(({ text }) => text).join(';'),
    condition: (joined) => or(parts.map((part) => part.condition(joined))),
  };
}

function conjunction(path: Path, depth: number): Filter {
  const parts = several(path.draw, () => term(path, depth));
  return {
    text: parts.map(({ text }) => text).join('&'),
    condition: (joined) => and(parts.map((part) => part.condition(joined))),
  };
}

function several(draw: Draw, make: () => Filter): readonly Filter[] {
  const parts = [make()];
  while (parts.length < 3 && draw.oneIn(4)) parts.push(make());
  return parts;
}

function term(path: Path, depth: number): Filter {
  const negated = path.draw.oneIn(depth === 0 ? 2 : 3);
  const { text, condition } =
    depth > 0 && path.draw.oneIn(4) ? parenthesized(path, depth - 1) : path.draw.pick(predicates)(path);
  return negated ? { text: `!${text}`, condition: (joined) => not(condition(joined)) } : { text, condition };
}

function parenthesized(path: Path, depth: number): Filter {
  const { text, condition } = disjunction(path, depth);
  return { text: `(${text})`, condition };
}

const predicates = [
  nullTest,
  ...Array(6).fill(compareColumn),
  compareList,
  compareList,
  matchColumn,
  matchList,
  matchStar,
  matchStar,
  searchColumn,
  ridEquality,
];

function nullTest(path: Path): Filter {
  const ref = anyRef(path);
  return { text: `${ref.text}::null::`, condition: (joined) => cellOf(joined, ref) === null };
}

function compareColumn(path: Path): Filter {
  return compareRef(path, anyRef(path));
}

/** Arrays have rules of their own, above all where they are empty. */
function compareList(path: Path): Filter {
  return compareRef(
    path,
    anyRef(path, ({ kind }) => kind.array),
  );
}

function compareRef({ draw }: Path, ref: Ref): Filter {
  const operator = draw.pick(['=', '=', 'lt', 'leq', 'gt', 'geq'] as const);
  const elements = ref.kind.pool
    .flatMap((cell) => (Array.isArray(cell) ? cell : [cell]))
    .filter((cell) => cell !== null);
  const stored = ref.instance.table.rows
    .flatMap((row) => [row[ref.name] ?? null].flat())
    .filter((cell) => cell !== null);
  const likely = stored.length > 0 && !draw.oneIn(4);
  const literals = likely ? stored.map(literalOf) : [...elements.map(literalOf), ...ref.kind.literals];
  const { family, array } = ref.kind;
  const one = ref.name === 'RID' && operator === '=' ? ridTest : null;
  return quantified(draw, `${ref.text}${operator === '=' ? '=' : `::${operator}::`}`, literals, (joined, literal) =>
    one === null
      ? comparison({ family, array }, operator, cellOf(joined, ref), readLiteral(family, literal))
      : one(cellOf(joined, ref), literal),
  );
}

const patterns = [
  'a',
  '^b',
  'a$',
  'a.c',
  '[0-9]',
  'é',
  '^$',
  'x',
  'lpha',
  '\\\\',
  'T12',
  '^2',
  'zz',
  "'",
  '[.]',
  '0Z$',
];

function matchColumn(path: Path): Filter {
  return matchRef(path, anyRef(path));
}

function matchList(path: Path): Filter {
  return matchRef(
    path,
    anyRef(path, ({ kind }) => kind.array),
  );
}

function matchRef(path: Path, ref: Ref): Filter {
  const { operator, flags } = matchWord(path.draw);
  return quantified(path.draw, `${ref.text}${operator}`, patterns, (joined, pattern) =>
    textMatch(cellOf(joined, ref), (cell) => new RegExp(pattern, flags).test(textOf(ref.kind.type, cell))),
  );
}

/** Columns that do not match, or are NULL, do not make a star unknown. */
function matchStar(path: Path): Filter {
  const { prefix, instance } = named(path);
  const { operator, flags } = matchWord(path.draw);
  return quantified(path.draw, `${prefix}*${operator}`, patterns, (joined, pattern) =>
    allColumns(instance.table).some(
      ({ name, kind }) =>
        textMatch(joined[instance.index]?.[name] ?? null, (cell) =>
          new RegExp(pattern, flags).test(textOf(kind.type, cell)),
        ) === true,
    ),
  );
}

function matchWord(draw: Draw): { readonly operator: string; readonly flags: string } {
  return draw.oneIn(2) ? { operator: '::regexp::', flags: '' } : { operator: '::ciregexp::', flags: 'i' };
}

/** Words that every text search configuration leaves as they are. */
function searchColumn(path: Path): Filter {
  const ref = anyRef(path, ({ kind }) => kind.family === 'text' && !kind.array);
  return quantified(path.draw, `${ref.text}::ts::`, ['alpha', 'asha', 'nothing'], (joined, word) =>
    textMatch(cellOf(joined, ref), (cell) => String(cell).toLowerCase().split(/\W+/).includes(word)),
  );
}

function ridEquality(path: Path): Filter {
  const ref = anyRef(path, ({ name }) => name === 'RID');
  const stored = ref.instance.table.rows.map((row) => String(row.RID));
  const spelt = [...stored, ...stored].flatMap((rid) => [rid, rid.toLowerCase(), rid.replace('-', ''), `0${rid}`]);
  return quantified(path.draw, `${ref.text}=`, [...spelt, '0', 'hello!'], (joined, text) =>
    ridTest(cellOf(joined, ref), text),
  );
}

/** 3.2.5: verbatim, or the canonical form of what can be decoded. */
function ridTest(cell: Cell, text: string): Truth {
  if (cell === null) return null;
  if (cell === text) return true;
  const digits = text.toUpperCase().replaceAll('-', '').replaceAll('O', '0').replace(/[IL]/g, '1');
  if (!/^[0-9A-HJKMNP-TV-Z]{0,13}$/.test(digits)) return false;
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const number = [...digits].reduce((value, digit) => value * 32n + BigInt(alphabet.indexOf(digit)), 0n) / 2n;
  let rest = number * 2n;
  let canonical = '';
  for (let at = 0; rest > 0n; at += 1, rest /= 32n) {
    canonical = `${alphabet[Number(rest % 32n)] ?? ''}${at > 0 && at % 4 === 0 ? '-' : ''}${canonical}`;
  }
  return cell === (canonical === '' ? '0' : canonical);
}

function quantified(
  draw: Draw,
  left: string,
  literals: readonly string[],
  test: (joined: Joined, literal: string) => Truth,
): Filter {
  const first = draw.pick(literals);
  if (!draw.oneIn(3)) return { text: `${left}${encodeValue(first)}`, condition: (joined) => test(joined, first) };
  const quantifier = draw.pick(['any', 'all', 'ALL'] as const);
  const values = [first, ...(draw.oneIn(2) ? [draw.pick(literals)] : [])];
  return {
    text: `${left}${quantifier}(${values.map(encodeValue).join(',')})`,
    condition: (joined) => (quantifier === 'any' ? or : and)(values.map((value) => test(joined, value))),
  };
}

// ---- results

interface Output {
  readonly name: string;
  readonly text: string;
  readonly kind: Pick<ColumnKind, 'family' | 'array' | 'pool' | 'literals'>;
  /** The value of a joined row; of a group, what it may be. */
  readonly value: (joined: Joined) => Cell;
}

function entity(path: Path, found: readonly Joined[]): Question {
  const outputs = allColumns(path.context.table).map((column): Output => {
    const ref = { ...column, instance: path.context };
    return { name: column.name, text: '', kind: column.kind, value: (joined) => cellOf(joined, ref) };
  });
  return asked(path, `entity/${path.url}`, outputs, entities(path, found, outputs));
}

function attribute(path: Path, found: readonly Joined[]): Question {
  const outputs = distinctNames([...columnsAndBins(path), ...identity(path)]);
  const list = outputs.map(({ text }) => text).join(',');
  return asked(path, `attribute/${path.url}/${list}`, outputs, entities(path, found, outputs));
}

/** Which entity a row is about, so that the row can be held against it where the choice among joined rows is free. */
function identity({ context }: Path): readonly Output[] {
  const ref = { ...columnOf(context.table, 'RID'), instance: context, text: '' };
  return [{ name: 'its RID', text: 'its%20RID:=RID', kind: ref.kind, value: (joined) => cellOf(joined, ref) }];
}

/** 3.1: one row an entity of the context, from any one of its joined rows; a missing partner is an entity too. */
function entities({ context }: Path, found: readonly Joined[], outputs: readonly Output[]): readonly Choice[] {
  const byEntity = new Map<Row | null, Cell[][]>();
  for (const joined of found) {
    const row = joined[context.index] ?? null;
    byEntity.set(row, [...(byEntity.get(row) ?? []), outputs.map(({ value }) => value(joined))]);
  }
  return [...byEntity.values()].map((candidates) => ({ candidates }));
}

function group(path: Path, found: readonly Joined[]): Question | null {
  const keys = distinctNames(columnsAndBins(path));
  const groups = new Map<string, Joined[]>();
  for (const joined of found) {
    const key = JSON.stringify(keys.map(({ value, kind }) => groupKey(kind.family, value(joined))));
    groups.set(key, [...(groups.get(key) ?? []), joined]);
  }
  const leaves = path.draw.oneIn(5) ? [] : groupLeaves(path, keys);
  const choices = [...groups.values()].map((rows) => choiceOf(rows, keys, leaves));
  if (choices.includes(null)) return null;
  const list = `${keys.map(({ text }) => text).join(',')}${leaves.length === 0 ? '' : `;${leaves.map(({ text }) => text).join(',')}`}`;
  return asked(
    path,
    `attributegroup/${path.url}/${list}`,
    [...keys, ...leaves],
    choices.filter((choice) => choice !== null),
    unorderedOf(leaves, keys.length),
  );
}

/** Values that are equal make one group, whatever their spelling. */
function groupKey(family: ColumnKind['family'], cell: Cell): unknown {
  if (cell === null) return null;
  return ['value', family === 'time' ? Date.parse(String(cell)) : shown(cell)];
}

function single(path: Path, found: readonly Joined[]): Question | null {
  const leaves = groupLeaves(path, []);
  const choice = choiceOf(found, [], leaves);
  if (choice === null) return null;
  const url = `aggregate/${path.url}/${leaves.map(({ text }) => text).join(',')}`;
  const page = { keys: [], after: null, before: null, limit: null };
  return {
    url,
    denoted: { names: leaves.map(({ name }) => name), choices: [choice], page, unordered: unorderedOf(leaves, 0) },
  };
}

interface Leaf extends Omit<Output, 'value'> {
  readonly unordered: boolean;
  readonly values: (rows: readonly Joined[]) => readonly Cell[];
}

function unorderedOf(leaves: readonly Leaf[], from: number): ReadonlySet<number> {
  return new Set(leaves.flatMap(({ unordered }, at) => (unordered ? [from + at] : [])));
}

/** All combinations of what the outputs may be; null when there are too many to try. */
function choiceOf(rows: readonly Joined[], keys: readonly Output[], leaves: readonly Leaf[]): Choice | null {
  const [first] = rows;
  let candidates: readonly (readonly Cell[])[] = [keys.map(({ value }) => (first === undefined ? null : value(first)))];
  for (const leaf of leaves) {
    const values = leaf.values(rows);
    candidates = candidates.flatMap((row) => values.map((value) => [...row, value]));
    if (candidates.length > 200) return null;
  }
  return { candidates };
}

function groupLeaves(path: Path, keys: readonly Output[]): readonly Leaf[] {
  const leaves: Leaf[] = [];
  for (let count = path.draw.int(1, 3); count > 0; count -= 1) {
    const leaf = path.draw.pick([functionLeaf, functionLeaf, starLeaf, exampleLeaf])(path, leaves.length);
    if (![...keys, ...leaves].some(({ name }) => name === leaf.name)) leaves.push(leaf);
  }
  return leaves;
}

function functionLeaf(path: Path, at: number): Leaf {
  const { draw } = path;
  const ref = anyRef(path);
  const names = [
    'cnt',
    'cnt_d',
    'array',
    'array_d',
    ...(ref.kind.minmax ? ['min', 'max'] : []),
    ...(ref.kind.sums ? ['sum', 'avg'] : []),
  ];
  const name = draw.pick(names);
  const kind = /^(min|max)$/.test(name)
    ? ref.kind
    : /^array/.test(name)
      ? kinds.jsonb
      : { ...kinds.numeric, pool: [0, 2, 7] };
  return {
    name: `x${at}`,
    text: `x${at}:=${name}(${ref.text})`,
    kind,
    unordered: name.startsWith('array'),
    values: (rows) => [
      aggregate(
        name,
        ref.kind,
        rows.map((joined) => cellOf(joined, ref)),
      ),
    ],
  };
}

function starLeaf(path: Path, at: number): Leaf {
  const { prefix, instance } = named(path);
  const name = path.draw.pick(['cnt', 'array', 'array_d']);
  const whole = (joined: Joined): Cell => {
    const row = joined[instance.index] ?? null;
    if (row === null) return null;
    return {
      json: Object.fromEntries(
        allColumns(instance.table).map(({ name: column }) => [column, shown(row[column] ?? null)]),
      ),
    };
  };
  const values = (rows: readonly Joined[]): Cell => {
    if (name === 'cnt') return rows.length;
    if (rows.length === 0) return null;
    const cells = rows.map(whole);
    return { json: (name === 'array' ? cells : unique(cells)).map(shown) };
  };
  return {
    name: `x${at}`,
    text: `x${at}:=${name}(${prefix}*)`,
    kind: name === 'cnt' ? kinds.int4 : kinds.jsonb,
    unordered: name !== 'cnt',
    values: (rows) => [values(rows)],
  };
}

function exampleLeaf(path: Path, at: number): Leaf {
  const output = path.draw.oneIn(3) ? (binOutput(path, at) ?? columnOutput(path)) : columnOutput(path);
  return { ...output, unordered: false, values: (rows) => examples(rows.map(output.value)) };
}

function columnsAndBins(path: Path): readonly Output[] {
  const outputs: Output[] = [];
  for (let count = path.draw.int(1, 3); count > 0; count -= 1) {
    const made = path.draw.pick([columnOutput, columnOutput, binOutput, starOutputs])(path, outputs.length);
    if (made !== null) outputs.push(...('text' in made ? [made] : made));
  }
  return outputs.length === 0 ? [columnOutput(path)] : outputs;
}

function columnOutput(path: Path): Output {
  const ref = anyRef(path);
  const renamed = path.draw.oneIn(3) ? path.draw.pick(['x', 'y,z', `${'ü'.repeat(40)}`]) : null;
  return {
    name: renamed ?? ref.name,
    text: `${renamed === null ? '' : `${encodeValue(renamed)}:=`}${ref.text}`,
    kind: ref.kind,
    value: (joined) => cellOf(joined, ref),
  };
}

/** `*` and `A:*`: one output each, of which only the first carries the text. */
function starOutputs(path: Path): readonly Output[] {
  if (!path.draw.oneIn(4)) return [columnOutput(path)];
  const { prefix, instance } = named(path);
  const alias = instance.alias ?? '';
  return allColumns(instance.table).map((column, at) => ({
    name: prefix === '' ? column.name : `${alias}:${column.name}`,
    text: at === 0 ? `${prefix}*` : '',
    kind: column.kind,
    value: (joined) => cellOf(joined, { ...column, instance }),
  }));
}

function binOutput(path: Path, at: number): Output | null {
  const { draw } = path;
  const columns = allColumns(path.context.table).filter(({ kind }) => kind.bin !== null);
  if (columns.length === 0) return null;
  const column = draw.pick(columns);
  const form = column.kind.bin;
  if (form === null) return null;
  const count = draw.pick([1, 2, 4]);
  const [low, high] =
    form === 'number'
      ? draw.pick([
          ['0', '8'],
          ['-4', '4'],
          ['2', '10'],
        ])
      : ['2000-01-01', '2008-01-01'];
  const name = draw.oneIn(2) ? column.name : `b${at}`;
  return {
    name,
    text: `${encodeValue(name)}:=bin(${encodeValue(column.name)};${count};${low};${high})`,
    kind: { ...kinds.jsonb, pool: [{ json: [0, null, 0] }, { json: [1, 0, 8] }], literals: ['[null,null,null]'] },
    value: (joined) => bin(form, cellOf(joined, { ...column, instance: path.context }), count, low ?? '', high ?? ''),
  };
}

/** Outputs of one name are refused by the service: the later ones go, with all of their star. */
function distinctNames(outputs: readonly Output[]): readonly Output[] {
  const kept: Output[] = [];
  let at = 0;
  while (at < outputs.length) {
    let end = at + 1;
    while (outputs[end]?.text === '') end += 1;
    const block = outputs.slice(at, end);
    if (!block.some(({ name }) => kept.some((other) => other.name === name))) kept.push(...block);
    at = end;
  }
  return kept;
}

// ---- order and page

function asked(
  path: Path,
  url: string,
  outputs: readonly (Output | Leaf)[],
  choices: readonly Choice[],
  unordered: ReadonlySet<number> = new Set(),
): Question {
  const { draw } = path;
  const names = outputs.map(({ name }) => name);
  const sortable = outputs.map((_, at) => at).filter((at) => !unordered.has(at));
  const keys: SortKey[] = [];
  if (sortable.length > 0 && !draw.oneIn(3)) {
    for (let count = draw.int(1, 3); count > 0; count -= 1) {
      const output = draw.pick(sortable);
      keys.push({ output, descending: draw.oneIn(2), family: outputs[output]?.kind.family ?? 'text' });
    }
  }
  const sorted = keys.map(
    ({ output, descending }) => `${encodeValue(names[output] ?? '')}${descending ? '::desc::' : ''}`,
  );
  const pageKey = (): { readonly row: readonly Cell[]; readonly text: string } =>
    randomPageKey(draw, keys, outputs, choices);
  const after = keys.length > 0 && draw.oneIn(3) ? pageKey() : null;
  const before = keys.length > 0 && draw.oneIn(4) ? pageKey() : null;
  const needsLimit = before !== null && after === null;
  const limit = needsLimit || draw.oneIn(3) ? draw.int(0, 5) : null;
  const page: Page = { keys, after: after?.row ?? null, before: before?.row ?? null, limit };
  const modifiers = [
    ...(keys.length === 0 ? [] : [`@sort(${sorted.join(',')})`]),
    ...(after === null ? [] : [`@after(${after.text})`]),
    ...(before === null ? [] : [`@before(${before.text})`]),
    ...(limit === null ? [] : [`?limit=${limit}`]),
  ];
  return { url: tidy(url) + modifiers.join(''), denoted: { names, choices, page, unordered } };
}

/** Outputs of a star have no text of their own. */
function tidy(url: string): string {
  return url.replace(/,+(?=,|;|$)/g, '');
}

/** A place in the order: that of a row of the result, or anywhere. */
function randomPageKey(
  draw: Draw,
  keys: readonly SortKey[],
  outputs: readonly (Output | Leaf)[],
  choices: readonly Choice[],
): { readonly row: readonly Cell[]; readonly text: string } {
  const row: Cell[] = outputs.map(() => null);
  const stored = choices.length === 0 || draw.oneIn(3) ? null : (draw.pick(choices).candidates[0] ?? null);
  for (const [at, { output }] of keys.entries()) {
    // the second time a column is named it has no effect
    if (keys.findIndex((key) => key.output === output) < at) continue;
    const value = stored?.[output] ?? null;
    const made = stored === null || !isShownWhole(value);
    row[output] = made ? draw.pick([null, ...(outputs[output]?.kind.pool ?? [])]) : value;
  }
  const texts = keys.map(({ output }) => {
    const cell = row[output] ?? null;
    return cell === null ? '::null::' : encodeValue(literalOf(cell));
  });
  return { row, text: texts.join(',') };
}

/** An average such as 2/3 has more digits in the database than here: it lies beside a page key made of it. */
function isShownWhole(cell: Cell): boolean {
  return typeof cell !== 'number' || Number.isSafeInteger(cell) || Number(cell.toPrecision(14)) === cell;
}

// ---- names

function named(path: Path): { readonly instance: Instance; readonly prefix: string } {
  const aliased = path.instances.filter(({ alias }) => alias !== null);
  if (aliased.length === 0 || path.draw.oneIn(2)) return { instance: path.context, prefix: '' };
  const instance = path.draw.pick(aliased);
  return { instance, prefix: `${instance.alias ?? ''}:` };
}

function anyRef(path: Path, fits: (column: ColumnSketch) => boolean = () => true): Ref {
  const { instance, prefix } = named(path);
  const fitting = allColumns(instance.table).filter(fits);
  const column = path.draw.pick(fitting.length === 0 ? allColumns(instance.table) : fitting);
  return { ...column, instance, text: `${prefix}${encodeValue(column.name)}` };
}

function allColumns(table: TableSketch): readonly ColumnSketch[] {
  return [...systemColumns, ...table.columns];
}

function columnOf(table: TableSketch, name: string): ColumnSketch {
  const column = allColumns(table).find((one) => one.name === name);
  if (column === undefined) throw new Error(`There is no column ${name}.`);
  return column;
}

function cellOf(joined: Joined, { instance, name }: Pick<Ref, 'instance' | 'name'>): Cell {
  return joined[instance.index]?.[name] ?? null;
}

function tableText(draw: Draw, { schema, name }: TableSketch): string {
  return draw.oneIn(2) ? encodeValue(name) : `${schema}:${encodeValue(name)}`;
}

function aliasText(alias: string | null): string {
  return alias === null ? '' : `${alias}:=`;
}
