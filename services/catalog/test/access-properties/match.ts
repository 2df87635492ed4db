import type { ClientRoles } from './decide.js';
import { type BindingPolicy, type FilterPolicy, keyColumns, type LinkPolicy, referenceColumns } from './policy.js';
import type { Rules } from './rules.js';

export type Value = null | number | string | readonly string[];
export type Row = Readonly<Record<string, Value>>;

/** Rows of the tables, in the order of the policy. */
export type State = readonly (readonly Row[])[];

/** Whether a row matches a binding (spec/catalog-access.md 8.2): every way along the projection is walked. */
export function matchesBinding(
  row: Row,
  { steps, column, kind }: BindingPolicy,
  state: State,
  { roles }: ClientRoles,
  rules: Rules,
): boolean {
  let tuples: readonly (readonly Row[])[] = [[row]];
  for (const step of steps) {
    if (step.kind === 'link') tuples = tuples.flatMap((tuple) => linked(tuple, step, state, rules));
    else if (rules('filters narrow')) tuples = tuples.filter((tuple) => holds(step, tuple, rules) === true);
    if (!rules('one of several rows at the end of a link is enough')) tuples = tuples.slice(0, 1);
  }
  const open = rules('the wildcard in a row is for everybody') ? roles : roles.filter((role) => role !== '*');
  return tuples.some((tuple) => {
    const value = tuple.at(-1)?.[column] ?? null;
    if (kind === 'nonnull' || value === null) return value !== null;
    return Array.isArray(value) ? value.some((one) => open.includes(one)) : open.includes(String(value));
  });
}

/** The tuple with each of its partners. */
function linked(tuple: readonly Row[], link: LinkPolicy, state: State, rules: Rules): readonly (readonly Row[])[] {
  const from = rules('a link may start at an instance before') ? tuple[link.from] : tuple.at(-1);
  const [near, far] =
    link.direction === 'outbound'
      ? [referenceColumns[link.reference], keyColumns[link.reference]]
      : [keyColumns[link.reference], referenceColumns[link.reference]];
  const partners = (state[link.to] ?? []).filter((partner) => sameTuple(from, near, partner, far, rules));
  return partners.map((partner) => [...tuple, partner]);
}

/** Whether the columns of two rows are equal and none is NULL. */
export function sameTuple(
  one: Row | undefined,
  columns: readonly string[],
  other: Row,
  others: readonly string[],
  rules: Rules,
): boolean {
  const compared = rules('links compare all columns') ? columns : columns.slice(0, 1);
  return compared.every((column, index) => {
    const value = one?.[column] ?? null;
    return value !== null && value === other[others[index] ?? ''];
  });
}

/** True, false or unknown. */
type Truth = boolean | null;

function holds(filter: FilterPolicy, tuple: readonly Row[], rules: Rules): Truth {
  const truth = positive(filter, tuple, rules);
  if (!filter.negate || !rules('filters can be negated')) return truth;
  if (truth === null) return rules('unknown is not true when negated') ? null : true;
  return !truth;
}

function positive(filter: FilterPolicy, tuple: readonly Row[], rules: Rules): Truth {
  if (filter.kind === 'test') {
    const row = rules('a filter may look at an instance before') ? tuple[filter.instance] : tuple.at(-1);
    return test(row?.[filter.column] ?? null, filter.operator, filter.operand);
  }
  const all = filter.operands.map((operand) => holds(operand, tuple, rules));
  const strict = rules('all parts of an and must hold') && rules('one part of an or is enough');
  const parts = strict || all.length < 2 ? all : all.slice(0, filter.kind === brokenKind(rules) ? 1 : undefined);
  const decisive = filter.kind === 'or';
  if (parts.includes(decisive)) return decisive;
  return parts.includes(null) ? null : !decisive;
}

function brokenKind(rules: Rules): 'and' | 'or' {
  return rules('all parts of an and must hold') ? 'or' : 'and';
}

/** A comparison as the path language means it: `=` on an array asks for an element, unknown where there is nothing to compare. */
export function test(value: Value, operator: string, operand: string | number | null): Truth {
  if (operator === 'null') return value === null;
  if (value === null || operand === null) return null;
  if (Array.isArray(value)) {
    if (operator === '=') return value.includes(String(operand));
    return value.length === 0 ? null : value.some((one) => test(one, operator, operand) === true);
  }
  switch (operator) {
    case '=':
      return value === operand;
    case 'lt':
      return value < operand;
    case 'leq':
      return value <= operand;
    case 'gt':
      return value > operand;
    case 'geq':
      return value >= operand;
    case 'regexp':
      return new RegExp(String(operand)).test(String(value));
    case 'ciregexp':
      return new RegExp(String(operand), 'i').test(String(value));
    case 'ts':
      return value === operand;
    default:
      throw new Error(`There is no operator ${operator}.`);
  }
}
