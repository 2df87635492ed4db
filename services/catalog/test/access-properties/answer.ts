import type { Decision, Decisions } from './decide.js';
import { matchesBinding, type Row, type State, sameTuple, test, type Value } from './match.js';
import {
  allColumns,
  type BindingPolicy,
  DEFAULT_N,
  keyColumns,
  type Policy,
  type ReferenceName,
  referenceColumns,
  type TablePolicy,
  userColumns,
} from './policy.js';
import type { AccessRequest, PageRequest, PathFilter, PathRequest } from './requests.js';
import type { Rules } from './rules.js';

/** What the naive evaluator expects of a request. */
export interface Expected {
  readonly status: number;
  /** Rows of the answer, where they are known; their order counts if `ordered`. */
  readonly rows: readonly object[] | null;
  readonly ordered: boolean;
  /** Rows of the tables afterwards; those that were made have no RID yet. */
  readonly state: State;
}

/** A row as the client sees it, beside the row as it is. */
interface Seen {
  readonly raw: Row;
  readonly shown: Row;
}

class Refusal {
  readonly status: number;
  constructor(status: number) {
    this.status = status;
  }
}

/** Filters and joins in memory, straight from the text of the specification. */
export function expectedAnswer(
  request: AccessRequest,
  policy: Policy,
  state: State,
  decisions: Decisions,
  rules: Rules,
): Expected {
  try {
    const evaluator = new Evaluator(policy, state, decisions, rules);
    return {
      ordered: false,
      rows: null,
      state,
      ...evaluator.answer(request),
      status: 200 + (isDeletion(request) ? 4 : 0),
    };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return { status: refusal.status, rows: null, ordered: false, state };
  }
}

function isDeletion({ kind }: AccessRequest): boolean {
  return kind === 'delete' || kind === 'clear';
}

class Evaluator {
  readonly #policy: Policy;
  readonly #state: State;
  readonly #decisions: Decisions;
  readonly #rules: Rules;

  constructor(policy: Policy, state: State, decisions: Decisions, rules: Rules) {
    this.#policy = policy;
    this.#state = state;
    this.#decisions = decisions;
    this.#rules = rules;
  }

  answer(request: AccessRequest): Partial<Expected> {
    switch (request.kind) {
      case 'entity': {
        const { table } = this.#contextOf(request.path);
        const rows = this.#entities(request.path);
        return { rows: rows.map(({ shown }) => project(shown, this.#seenColumns(table))) };
      }
      case 'attribute': {
        this.#needNames(this.#contextOf(request.path).table, request.columns);
        const rows = this.#contextRows(request.path, request.columns).map(({ shown }) => shown);
        return { ...paged(rows, request.page, request.columns), ordered: false };
      }
      case 'group': {
        const counted = request.counted === null ? [] : [request.counted];
        this.#needNames(this.#contextOf(request.path).table, [...request.keys, ...counted]);
        const rows = this.#joined(request.path, [...request.keys, ...counted]).map(({ shown }) => shown);
        return { rows: grouped(rows, request.keys, request.counted) };
      }
      case 'rights': {
        const { table } = this.#contextOf(request.path);
        this.#needNames(table, ['RID']);
        const rows = this.#contextRows(request.path, ['RID']);
        return {
          rows: rows.map(({ raw, shown }) => ({ RID: shown.RID, r: this.#rights(table, raw, request.detailed) })),
        };
      }
      case 'aggregate': {
        const columns = [request.counted, request.highest];
        this.#needNames(this.#contextOf(request.path).table, columns);
        const rows = this.#joined(request.path, columns).map(({ shown }) => shown);
        const values = rows.map((row) => row[request.counted] ?? null).filter((value) => value !== null);
        const numbers = rows.map((row) => row[request.highest] ?? null).filter((value) => typeof value === 'number');
        return {
          rows: [{ a: rows.length, b: new Set(values).size, h: numbers.length === 0 ? null : Math.max(...numbers) }],
        };
      }
      case 'rid':
        return this.#byRid(request.rid);
      case 'post':
        return this.#post(request.table, request.rows, request.defaults);
      case 'put':
        return this.#put(request.table, request.rows);
      case 'update':
        return this.#update(request.table, request.keys, request.targets, request.rows);
      case 'delete':
        return this.#delete(request.path);
      case 'clear':
        return this.#clear(request.path, request.columns);
      default:
        return request satisfies never;
    }
  }

  // what is seen

  #table(index: number): TablePolicy {
    const table = this.#policy.tables[index];
    if (table === undefined) throw new Error('There is no such table.');
    return table;
  }

  #seesTable(table: TablePolicy): boolean {
    return this.#decisions.table(table, 'enumerate') === true;
  }

  #seesColumn(table: TablePolicy, column: string): boolean {
    if (!this.#rules('columns that are not seen are not there')) return true;
    return this.#decisions.column(table, column, 'enumerate') === true;
  }

  #seenColumns(table: TablePolicy): readonly string[] {
    return allColumns.filter((column) => this.#seesColumn(table, column));
  }

  #needNames(table: TablePolicy, columns: readonly string[]): void {
    if (!this.#seesTable(table) || !columns.every((column) => this.#seesColumn(table, column))) throw new Refusal(409);
  }

  /** 401 for those who may be somebody else. */
  #denied(): Refusal {
    return new Refusal(this.#decisions.client.anonymous ? 401 : 403);
  }

  #need(decision: Decision): void {
    if (decision === false) throw this.#denied();
  }

  #needReadable(table: TablePolicy, columns: readonly string[]): void {
    if (!this.#rules('columns used need a right')) return;
    for (const column of columns) this.#need(this.#decisions.column(table, column, 'select'));
  }

  #matchesAny(row: Row, bindings: readonly BindingPolicy[]): boolean {
    return bindings.some((binding) => matchesBinding(row, binding, this.#state, this.#decisions.client, this.#rules));
  }

  #mayOnRow(table: TablePolicy, row: Row, access: 'select' | 'update' | 'delete'): boolean {
    const decision = this.#decisions.table(table, access);
    return decision === 'row' ? this.#matchesAny(row, this.#decisions.bindingsOfTable(table, access)) : decision;
  }

  #mayOnValue(table: TablePolicy, row: Row, column: string, access: 'select' | 'update'): boolean {
    const decision = this.#decisions.column(table, column, access);
    return decision === 'row'
      ? this.#matchesAny(row, this.#decisions.bindingsOfColumn(table, column, access))
      : decision;
  }

  /** The rows of a table as the client sees them. */
  #seenRows(index: number): readonly Seen[] {
    const table = this.#table(index);
    const rows = this.#state[index] ?? [];
    const visible = this.#rules('rows without a match are hidden')
      ? rows.filter((row) => this.#mayOnRow(table, row, 'select'))
      : rows;
    return visible.map((raw) => ({ raw, shown: this.#masked(table, raw) }));
  }

  #masked(table: TablePolicy, raw: Row): Row {
    if (!this.#rules('values without a match are masked')) return raw;
    const shown = allColumns.map((column) => [
      column,
      this.#mayOnValue(table, raw, column, 'select') ? (raw[column] ?? null) : null,
    ]);
    return Object.fromEntries(shown);
  }

  // paths

  #contextOf({ root, link }: PathRequest): { readonly index: number; readonly table: TablePolicy } {
    const index = link?.to ?? root;
    return { index, table: this.#table(index) };
  }

  /** Joined rows, of which only the context is kept; with repetition. */
  #joined(path: PathRequest, columns: readonly string[]): readonly Seen[] {
    const { root, filter, link, linkFilter } = path;
    const rootTable = this.#table(root);
    const context = this.#contextOf(path);
    const filters = [
      { table: rootTable, filter },
      { table: context.table, filter: linkFilter },
    ];
    // names first, rights then
    if (!this.#seesTable(rootTable)) throw new Refusal(409);
    if (link !== null) this.#needLink(link);
    for (const one of filters)
      if (one.filter !== null && one.filter.column !== '*') this.#needNames(one.table, [one.filter.column]);
    this.#need(this.#decisions.table(rootTable, 'select'));
    this.#need(this.#decisions.table(context.table, 'select'));
    for (const one of filters)
      if (one.filter !== null && one.filter.column !== '*') this.#needReadable(one.table, [one.filter.column]);
    const [near, far] = link === null ? [[], []] : linkColumns(link);
    this.#needReadable(rootTable, near);
    this.#needReadable(context.table, far);
    this.#needReadable(context.table, columns);
    const roots = this.#seenRows(root).filter((row) => this.#passes(rootTable, filter, row));
    if (link === null) return roots;
    const partners = this.#seenRows(context.index).filter((row) => this.#passes(context.table, linkFilter, row));
    return roots.flatMap((row) =>
      partners.filter((partner) => sameTuple(row.shown, near, partner.shown, far, this.#rules)),
    );
  }

  #needLink({ holder, reference, to, direction }: NonNullable<PathRequest['link']>): void {
    if (!this.#rules('links that are not seen are not there')) return;
    const table = this.#table(holder);
    const seen = this.#decisions.reference(table, reference, 'enumerate') === true;
    // columns inside the path are named, those outside too
    const named = direction === 'outbound' ? table : this.#table(to);
    this.#needNames(named, referenceColumns[reference]);
    if (!seen || !this.#seesTable(table)) throw new Refusal(409);
  }

  #passes(table: TablePolicy, filter: PathFilter | null, { shown, raw }: Seen): boolean {
    if (filter === null) return true;
    const row = this.#rules('masked values are masked in filters too') ? shown : raw;
    const { column, operator, operand, negate } = filter;
    const truth =
      column === '*' ? this.#someColumn(table, row, String(operand)) : test(row[column] ?? null, operator, operand);
    return negate ? truth === false : truth === true;
  }

  #someColumn(table: TablePolicy, row: Row, pattern: string): boolean {
    const readable = this.#seenColumns(table).filter(
      (column) => this.#decisions.column(table, column, 'select') !== false,
    );
    return readable.some((column) => test(searched(column, row[column] ?? null), 'regexp', pattern) === true);
  }

  /** Each row of the context once. */
  #contextRows(path: PathRequest, columns: readonly string[]): readonly Seen[] {
    const rows = this.#joined(path, columns);
    return rows.filter(({ raw }, index) => rows.findIndex((other) => other.raw === raw) === index);
  }

  #entities(path: PathRequest): readonly Seen[] {
    const { table } = this.#contextOf(path);
    return this.#contextRows(path, this.#rules('whole entities need every column') ? this.#seenColumns(table) : []);
  }

  #rights(table: TablePolicy, raw: Row, detailed: boolean): object {
    const [update, removal] = [this.#mayOnRow(table, raw, 'update'), this.#mayOnRow(table, raw, 'delete')];
    if (!detailed) return { update, delete: removal };
    const columns = this.#seenColumns(table).map((column) => [
      column,
      update && this.#mayOnValue(table, raw, column, 'update'),
    ]);
    return { update, delete: removal, column_update: Object.fromEntries(columns) };
  }

  #byRid(rid: string): Partial<Expected> {
    for (const [index, table] of this.#policy.tables.entries()) {
      if (!this.#seesTable(table) || this.#decisions.table(table, 'select') === false) continue;
      const found = this.#seenRows(index).some(({ raw }) => raw.RID === rid);
      if (found) return { rows: [{ RID: rid, table_name: table.name }] };
    }
    throw new Refusal(404);
  }

  // changes

  #post(index: number, rows: readonly Row[], defaults: readonly string[]): Partial<Expected> {
    const table = this.#table(index);
    this.#needNames(table, defaults);
    const given = this.#seenColumns(table).filter((column) => isUser(column) && !defaults.includes(column));
    this.#needInsert(table, this.#rules('defaulted columns need no right') ? given : [...given, ...defaults]);
    if (given.length === 0) throw new Refusal(409);
    const made = rows.map((row) => newRow(row, given));
    for (const row of made) this.#needReferences(table, row, given, 'insert');
    const state = this.#consistent(index, [...(this.#state[index] ?? []), ...made]);
    return { state, rows: made.map((row) => project(row, this.#seenColumns(table).filter(isUser))) };
  }

  #needInsert(table: TablePolicy, columns: readonly string[]): void {
    if (!this.#rules('inserting needs a right')) return;
    if (this.#decisions.table(table, 'insert') !== true) throw this.#denied();
    for (const column of columns) if (this.#decisions.column(table, column, 'insert') !== true) throw this.#denied();
  }

  #needReferences(table: TablePolicy, row: Row, placed: readonly string[], access: 'insert' | 'update'): void {
    if (!this.#rules('references need a right')) return;
    const kind = this.#rules('references need the right of the kind of change') ? access : 'insert';
    for (const name of ['f', 'g'] as const) {
      const columns = referenceColumns[name];
      if (!columns.some((column) => placed.includes(column))) continue;
      const decision = this.#decisions.reference(table, name, kind);
      if (decision === true) continue;
      const values = columns.map((column) => row[column] ?? null);
      const checked = this.#rules('incomplete references need no right')
        ? !values.includes(null)
        : values.some((value) => value !== null);
      if (checked && !this.#mayRefer(table, name, row, kind, decision)) throw this.#denied();
    }
  }

  #mayRefer(
    table: TablePolicy,
    name: ReferenceName,
    row: Row,
    access: 'insert' | 'update',
    decision: Decision,
  ): boolean {
    if (decision === false) return false;
    const bindings = this.#decisions.bindingsOfReference(table, name, access);
    const targets = this.#state[table.references[name].to] ?? [];
    return targets.some(
      (target) =>
        sameTuple(row, referenceColumns[name], target, keyColumns[name], this.#rules) &&
        this.#matchesAny(target, bindings),
    );
  }

  /** What a change finds by its keys. */
  #found(index: number, keys: readonly string[], wanted: Row): readonly Row[] {
    const table = this.#table(index);
    const all = (this.#state[index] ?? []).map((raw) => ({ raw, shown: raw }));
    const reads = this.#decisions.table(table, 'select') !== false;
    const seen = reads && this.#rules('changes find only rows that are seen') ? this.#seenRows(index) : all;
    return seen
      .map(({ raw }) => ({
        raw,
        compared: reads && this.#rules('keys of changes compare what is seen') ? this.#masked(table, raw) : raw,
      }))
      .filter(({ compared }) => keys.every((key) => (compared[key] ?? null) === (wanted[key] ?? null)))
      .map(({ raw }) => raw);
  }

  #needChange(table: TablePolicy, columns: readonly string[]): void {
    this.#need(this.#decisions.table(table, 'update'));
    for (const column of columns) this.#need(this.#decisions.column(table, column, 'update'));
  }

  #needChangeable(table: TablePolicy, row: Row, columns: readonly string[]): void {
    if (this.#rules('rows to be changed must match') && !this.#mayOnRow(table, row, 'update')) throw this.#denied();
    if (!this.#rules('columns to be changed must match')) return;
    for (const column of columns) if (!this.#mayOnValue(table, row, column, 'update')) throw this.#denied();
  }

  #put(index: number, rows: readonly Row[]): Partial<Expected> {
    const table = this.#table(index);
    this.#needNames(table, []);
    const given = this.#seenColumns(table).filter(isUser);
    const reads = this.#decisions.table(table, 'select') !== false;
    const usable = given.filter((column) => !reads || this.#decisions.column(table, column, 'select') !== false);
    const keys = usable.includes('id') ? ['id', 'k'].filter((key) => usable.includes(key)) : [];
    if (keys.length === 0) throw new Refusal(409);
    const updated = given.filter((column) => !keys.includes(column));
    if (updated.length === 0) this.#needInsert(table, given);
    else this.#needChange(table, updated);
    const plan = rows.map((row) => ({ row, stored: this.#found(index, keys, row)[0] ?? null }));
    for (const { stored } of plan)
      if (stored !== null && updated.length > 0) this.#needChangeable(table, stored, updated);
    const fresh = plan.filter(({ stored }) => stored === null);
    if (fresh.length > 0 && this.#rules('new rows of a PUT need the right to insert')) this.#needInsert(table, given);
    for (const { row, stored } of plan) {
      if (stored === null) this.#needReferences(table, newRow(row, given), given, 'insert');
      else this.#needReferences(table, { ...stored, ...project(row, given) }, updated, 'update');
    }
    const after = new Map(
      plan.flatMap(({ row, stored }) => (stored === null ? [] : [[stored, { ...stored, ...project(row, updated) }]])),
    );
    const made = new Map(fresh.map(({ row }) => [row, newRow(row, given)]));
    const state = this.#consistent(index, [
      ...(this.#state[index] ?? []).map((row) => after.get(row) ?? row),
      ...made.values(),
    ]);
    const shown = (row: Row, before: Row | null): Row => ({
      ...project(row, this.#seenColumns(table).filter(isUser)),
      ...(this.#seesColumn(table, 'RCB')
        ? { RCB: before === null ? this.#decisions.client.name : this.#answeredMaker(table, before) }
        : {}),
    });
    return {
      state,
      rows: plan.map(({ row, stored }) =>
        stored === null
          ? shown(made.get(row) ?? row, null)
          : // keys are not written: a masked one was found as the NULL that it is for the client
            shown({ ...(after.get(stored) ?? row), ...project(row, keys) }, stored),
      ),
    };
  }

  /** Who made a stored row was not written: it is for readers. */
  #answeredMaker(table: TablePolicy, stored: Row): Value {
    const shown =
      !this.#rules('answers of PUT show what was written') || this.#mayOnValue(table, stored, 'RCB', 'select');
    return shown ? (stored.RCB ?? null) : null;
  }

  #update(index: number, keys: readonly string[], targets: readonly string[], rows: readonly Row[]): Partial<Expected> {
    const table = this.#table(index);
    this.#needNames(table, [...keys, ...targets]);
    this.#needChange(table, targets);
    this.#needReadable(table, keys);
    const plan = rows.map((row) => {
      const wanted = Object.fromEntries(keys.map((key) => [key, row[`k_${key}`] ?? null]));
      return { row, stored: this.#found(index, keys, wanted) };
    });
    if (plan.some(({ stored }) => stored.length === 0)) throw new Refusal(409);
    const after = new Map<Row, Row>();
    for (const { row, stored } of plan) for (const one of stored) after.set(one, { ...one, ...project(row, targets) });
    for (const one of after.keys()) this.#needChangeable(table, one, targets);
    for (const next of after.values()) this.#needReferences(table, next, targets, 'update');
    const state = this.#consistent(
      index,
      (this.#state[index] ?? []).map((row) => after.get(row) ?? row),
    );
    return { state, rows: plan.flatMap(({ row, stored }) => stored.map(() => row)) };
  }

  #delete(path: PathRequest): Partial<Expected> {
    const { index, table } = this.#contextOf(path);
    const targets = this.#changeTargets(path, 'delete', []);
    const gone = new Map<number, Set<Row>>([[index, new Set(targets)]]);
    this.#cascade(gone);
    const cascaded = [...gone].flatMap(([at, rows]) =>
      [...rows].filter((row) => !targets.includes(row)).map((row) => ({ at, row })),
    );
    if (!this.#rules('cascades need no right'))
      for (const { at, row } of cascaded) if (!this.#mayOnRow(this.#table(at), row, 'delete')) throw this.#denied();
    const left = this.#state.map((rows, at) => rows.filter((row) => gone.get(at)?.has(row) !== true));
    return { state: this.#checked(left, table) };
  }

  #cascade(gone: Map<number, Set<Row>>): void {
    let grew = true;
    while (grew) {
      grew = false;
      for (const [at, table] of this.#policy.tables.entries()) {
        for (const name of ['f', 'g'] as const) {
          if (!table.references[name].cascades) continue;
          const targets = [...(gone.get(table.references[name].to) ?? [])];
          const refers = (row: Row): boolean =>
            targets.some((target) => complete(row, referenceColumns[name], target, keyColumns[name]));
          const lost = (this.#state[at] ?? []).filter((row) => gone.get(at)?.has(row) !== true && refers(row));
          if (lost.length === 0) continue;
          gone.set(at, new Set([...(gone.get(at) ?? []), ...lost]));
          grew = true;
        }
      }
    }
  }

  #clear(path: PathRequest, columns: readonly string[]): Partial<Expected> {
    const { index, table } = this.#contextOf(path);
    this.#needNames(table, columns);
    const targets = this.#changeTargets(path, 'update', columns);
    const cleared = Object.fromEntries(columns.map((column) => [column, column === 'n' ? DEFAULT_N : null]));
    const rows = (this.#state[index] ?? []).map((row) => (targets.includes(row) ? { ...row, ...cleared } : row));
    return { state: this.#consistent(index, rows) };
  }

  /** Rows that a DELETE means: the path is read like entities, then each row asked for. */
  #changeTargets(path: PathRequest, access: 'update' | 'delete', columns: readonly string[]): readonly Row[] {
    const { table } = this.#contextOf(path);
    const rows = this.#entities(path);
    this.#need(this.#decisions.table(table, access));
    for (const column of columns) this.#need(this.#decisions.column(table, column, 'update'));
    const targets = rows.map(({ raw }) => raw);
    for (const row of targets) {
      if (access === 'update') this.#needChangeable(table, row, columns);
      else if (this.#rules('rows to be deleted must match') && !this.#mayOnRow(table, row, 'delete'))
        throw this.#denied();
    }
    if (targets.length === 0) throw new Refusal(404);
    return targets;
  }

  #consistent(index: number, rows: readonly Row[]): State {
    return this.#checked(
      this.#state.map((old, at) => (at === index ? rows : old)),
      this.#table(index),
    );
  }

  /** The constraints of the tables. */
  #checked(state: State, changed: TablePolicy): State {
    const rows = state[this.#policy.tables.indexOf(changed)] ?? [];
    const ids = rows.map(({ id }) => id);
    if (new Set(ids).size < ids.length || rows.some(({ id, k }) => (id ?? null) === null || (k ?? null) === null))
      throw new Refusal(409);
    for (const [at, table] of this.#policy.tables.entries()) {
      for (const name of ['f', 'g'] as const) {
        const targets = state[table.references[name].to] ?? [];
        const dangles = (row: Row): boolean =>
          referenceColumns[name].every((column) => (row[column] ?? null) !== null) &&
          !targets.some((target) => complete(row, referenceColumns[name], target, keyColumns[name]));
        if ((state[at] ?? []).some(dangles)) throw new Refusal(409);
      }
    }
    return state;
  }
}

/** Equality that no switched-off rule weakens. */
function complete(row: Row, columns: readonly string[], target: Row, others: readonly string[]): boolean {
  return sameTuple(row, columns, target, others, () => true);
}

function linkColumns({
  direction,
  reference,
}: NonNullable<PathRequest['link']>): readonly [readonly string[], readonly string[]] {
  const [held, key] = [referenceColumns[reference], keyColumns[reference]];
  return direction === 'outbound' ? [held, key] : [key, held];
}

/** Times are searched without fractions and offset. */
function searched(column: string, value: Value): Value {
  return (column === 'RCT' || column === 'RMT') && typeof value === 'string' ? `${value.slice(0, 19)}Z` : value;
}

function isUser(column: string): boolean {
  return userColumns.includes(column);
}

function newRow(row: Row, given: readonly string[]): Row {
  const values = userColumns.map((column) => [
    column,
    given.includes(column) ? (row[column] ?? null) : column === 'n' ? DEFAULT_N : null,
  ]);
  return Object.fromEntries(values);
}

function project(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

function grouped(rows: readonly Row[], keys: readonly string[], counted: string | null): readonly object[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify(keys.map((name) => row[name] ?? null));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((members) => ({
    ...project(members[0] ?? {}, keys),
    c: members.length,
    ...(counted === null ? {} : { m: members.filter((row) => (row[counted] ?? null) !== null).length }),
  }));
}

/** The page, in order; without rows where rows that sort alike leave the service a choice. */
function paged(rows: readonly Row[], page: PageRequest | null, columns: readonly string[]): Pick<Expected, 'rows'> {
  const projected = rows.map((row) => project(row, columns));
  if (page === null) return { rows: projected };
  const keyOf = (row: Row): readonly (Value | undefined)[] => page.sort.map((name) => row[name]);
  const sorted = projected.toSorted((one, other) => compareKeys(keyOf(one), keyOf(other)));
  const { after, limit } = page;
  const from = after === null ? sorted : sorted.filter((row) => compareKeys(keyOf(row), after) > 0);
  if (limit === null || from.length <= limit) return { rows: from };
  const [last, next] = [from[limit - 1], from[limit]];
  const tied = last !== undefined && next !== undefined && compareKeys(keyOf(last), keyOf(next)) === 0;
  return { rows: tied ? null : from.slice(0, limit) };
}

/** Numbers ascending, NULL last. */
function compareKeys(one: readonly (Value | undefined)[], other: readonly (Value | undefined)[]): number {
  for (const [index, value] of one.entries()) {
    const [a, b] = [value ?? Number.POSITIVE_INFINITY, other[index] ?? Number.POSITIVE_INFINITY];
    if (a !== b) return Number(a) - Number(b);
  }
  return 0;
}
