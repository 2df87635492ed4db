import { AppError } from '@holdfast/http-kit';
import type { ElementBinding, Projection, ProjectionFilter, ProjectionLink, ProjectionStep } from '../model/model.js';
import { instanceColumn, resolveBindingFilter } from '../resolve/resolve-binding-filter.js';
import type { ColumnPair, ColumnRef, Instance, ResolvedCondition } from '../resolve/resolved.js';

/**
 * Whether a row matches a binding (spec/catalog-access.md 8.2): its own values fulfil the conditions, and each of the groups of
 * partners is to be found. Groups that nothing but the row connects are apart, so that each becomes a semi-join of its own.
 * Instances are those of the projection; 0 is the row itself.
 */
export interface RowTest {
  /** Where it comes from: one binding may stand in several rules. */
  readonly binding: ElementBinding;
  readonly own: readonly RowCondition[];
  readonly partners: readonly PartnerGroup[];
}

/** Rows of other tables, reached over foreign keys, that together let the row in. */
export interface PartnerGroup {
  readonly instances: readonly Instance[];
  readonly links: readonly ColumnPair[];
  readonly conditions: readonly RowCondition[];
}

export type RowCondition = ResolvedCondition | RoleCondition;

/** The value is one of the client's roles, or shares one with them if it is an array; the wildcard is everybody's role. */
export interface RoleCondition {
  readonly kind: 'holds-role';
  readonly column: ColumnRef;
}

/** What a binding tests; null for one that cannot be evaluated, which matches nothing (8.5). */
export function rowTestOf(binding: ElementBinding): RowTest | null {
  if (binding.projection === null) return null;
  try {
    return testOf(binding, binding.projection);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Whether a test needs nothing but the row. */
export function isLocal({ partners }: RowTest): boolean {
  return partners.length === 0;
}

/** Whether a test lets in every row, because it asks for nothing but a RID. */
export function isTrivial({ own, partners }: RowTest): boolean {
  return partners.length === 0 && own.every(asksForRid);
}

function asksForRid(condition: RowCondition): boolean {
  return (
    condition.kind === 'not' &&
    condition.operand.kind === 'null-test' &&
    condition.operand.column.column.system === 'RID'
  );
}

/** A part of a test with the numbers of the instances it looks at. */
interface Part {
  readonly looksAt: readonly number[];
  readonly links: readonly ColumnPair[];
  readonly conditions: readonly RowCondition[];
}

function testOf(binding: ElementBinding, { base, steps, value }: Projection): RowTest {
  const links = steps.filter((step) => step.kind === 'link');
  const instances = [base, ...links.map(({ table }) => table)].map(
    (table, index): Instance => ({ index, table, alias: null }),
  );
  const column = instanceColumn(value, instances);
  const final: RowCondition =
    binding.projectionType === 'acl'
      ? { kind: 'holds-role', column }
      : { kind: 'not', operand: { kind: 'null-test', column } };
  const parts: readonly Part[] = [
    ...steps.map((step) => partOf(step, instances)),
    { looksAt: [value.instance], links: [], conditions: [final] },
  ];
  const groupOf = connectedGroups(parts, instances.length);
  const group = (number: number): PartnerGroup => {
    const members = parts.filter((part) => groupOf(part) === number);
    return {
      instances: instances.filter(({ index }) => index > 0 && groupOf({ looksAt: [index] }) === number),
      links: members.flatMap((part) => part.links),
      conditions: members.flatMap((part) => part.conditions),
    };
  };
  const numbers = [...new Set(parts.map(groupOf))].filter((number) => number !== 0);
  return { binding, own: group(0).conditions, partners: numbers.map(group) };
}

function partOf(step: ProjectionStep, instances: readonly Instance[]): Part {
  if (step.kind === 'link') return { looksAt: [step.from, step.to], links: pairsOf(step, instances), conditions: [] };
  return { looksAt: instancesOf(step), links: [], conditions: [resolveBindingFilter(step, instances)] };
}

function pairsOf({ direction, foreignKey, from, to }: ProjectionLink, instances: readonly Instance[]): ColumnPair[] {
  const { columns, referencedColumns } = foreignKey;
  const [near, far] = direction === 'outbound' ? [columns, referencedColumns] : [referencedColumns, columns];
  return near.flatMap((column, index) => {
    const other = far[index];
    if (other === undefined) return [];
    return [
      {
        left: instanceColumn({ instance: from, column }, instances),
        right: instanceColumn({ instance: to, column: other }, instances),
      },
    ];
  });
}

function instancesOf(filter: ProjectionFilter): readonly number[] {
  return 'operands' in filter ? filter.operands.flatMap(instancesOf) : [filter.column.instance];
}

/**
 * Which parts belong together because they look at the same instances, the row itself not counted.
 * @returns the number of the group of a part; 0 for what looks at the row alone
 */
function connectedGroups(parts: readonly Part[], count: number): (part: Pick<Part, 'looksAt'>) => number {
  const group = Array.from({ length: count }, (_, index) => index);
  for (const { looksAt } of parts) {
    const merged = looksAt.flatMap((instance) => group[instance] ?? []).filter((number) => number !== 0);
    const target = Math.min(...merged);
    group.forEach((number, index) => {
      if (merged.includes(number)) group[index] = target;
    });
  }
  return ({ looksAt }) => Math.max(0, ...looksAt.map((instance) => group[instance] ?? 0));
}
