import type { Chooser } from './chooser.js';

/** What a random policy says: three tables alike, with lists and bindings on everything. */
export interface Policy {
  readonly catalogAcls: Acls;
  readonly schemaAcls: Acls;
  readonly tables: readonly TablePolicy[];
}

export type Access = 'owner' | 'create' | 'enumerate' | 'select' | 'insert' | 'update' | 'delete' | 'write';
export type Acls = Partial<Readonly<Record<Access, readonly string[]>>>;

export interface TablePolicy {
  readonly name: string;
  readonly acls: Acls;
  readonly bindings: Readonly<Record<string, BindingPolicy>>;
  readonly columns: Readonly<Record<string, ColumnPolicy>>;
  /** `f` refers to the key `id`, `g` together with `gk` to the key `id, k`. */
  readonly references: Readonly<Record<ReferenceName, ReferencePolicy>>;
}

export interface ColumnPolicy {
  readonly acls: Acls;
  readonly bindings: Readonly<Record<string, BindingPolicy | false>>;
}

export type ReferenceName = 'f' | 'g';

export interface ReferencePolicy {
  readonly acls: Acls;
  readonly bindings: Readonly<Record<string, BindingPolicy>>;
  /** Index of the referenced table. */
  readonly to: number;
  readonly cascades: boolean;
  /** Whether it has the lists of its creation, which open it to everybody, beside its own. */
  readonly opened: boolean;
}

export interface BindingPolicy {
  readonly types: readonly Access[];
  readonly scope: readonly string[];
  readonly kind: 'acl' | 'nonnull';
  readonly steps: readonly StepPolicy[];
  /** Final column. */
  readonly column: string;
}

export type StepPolicy = LinkPolicy | FilterPolicy;

export interface LinkPolicy {
  readonly kind: 'link';
  readonly direction: 'outbound' | 'inbound';
  /** Index of the table that holds the reference. */
  readonly holder: number;
  readonly reference: ReferenceName;
  /** Number of the instance it starts from: 0 is the base, each link binds the next. */
  readonly from: number;
  /** Table that it leads to. */
  readonly to: number;
}

export type FilterPolicy =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly FilterPolicy[]; readonly negate: boolean }
  | {
      readonly kind: 'test';
      readonly instance: number;
      readonly column: string;
      readonly operator: string;
      readonly operand: string | number | null;
      readonly negate: boolean;
    };

export const systemColumns = ['RID', 'RCT', 'RMT', 'RCB', 'RMB'] as const;

/** The other columns, in model order, with their types. `own` and `acl` hold roles, `n` has a default. */
export const columnTypes: Readonly<Record<string, 'int4' | 'text' | 'text[]'>> = {
  id: 'int4',
  k: 'int4',
  own: 'text',
  acl: 'text[]',
  n: 'int4',
  f: 'int4',
  g: 'int4',
  gk: 'int4',
};

export const userColumns: readonly string[] = Object.keys(columnTypes);
export const allColumns: readonly string[] = [...systemColumns, ...userColumns];
export const DEFAULT_N = 7;

/** Columns of the references, and of the keys they refer to. */
export const referenceColumns: Readonly<Record<ReferenceName, readonly string[]>> = { f: ['f'], g: ['g', 'gk'] };
export const keyColumns: Readonly<Record<ReferenceName, readonly string[]>> = { f: ['id'], g: ['id', 'k'] };

export const roleNames = ['*', 'bob', 'carol', 'g1', 'g2', 'nobody'] as const;

export function randomPolicy(choose: Chooser): Policy {
  const names = ['t0', 't1', 't2'];
  const targets = names.map(() => ({ f: choose.below(names.length), g: choose.below(names.length) }));
  // one action for all: which of two comes first is PostgreSQL's affair
  const cascades = choose.chance(50);
  const bind = (kind: 'table' | 'column' | 'foreign_key', base: number): BindingPolicy =>
    randomBinding(choose, kind, base, targets);
  return {
    catalogAcls: {
      enumerate: ['*'],
      ...(choose.chance(60) ? { select: ['*'] } : {}),
      ...some(choose, ['insert', 'update', 'delete', 'write'], 30),
    },
    schemaAcls: {
      ...some(choose, ['select', 'insert', 'update', 'delete', 'write'], 20),
      ...some(choose, ['enumerate'], 8),
    },
    tables: names.map((name, index): TablePolicy => {
      const bindings = sometimes(choose, 2, 70, () => bind('table', index));
      return {
        name,
        acls: {
          ...some(choose, ['select'], 60),
          ...some(choose, ['insert', 'update', 'delete'], 45),
          ...some(choose, ['write'], 15),
          ...some(choose, ['enumerate', 'owner'], 8),
        },
        bindings,
        columns: Object.fromEntries(
          allColumns.map((column) => [column, randomColumn(choose, () => bind('column', index))]),
        ),
        references: {
          f: randomReference(choose, targets[index]?.f ?? 0, cascades, (to) => bind('foreign_key', to)),
          g: randomReference(choose, targets[index]?.g ?? 0, cascades, (to) => bind('foreign_key', to)),
        },
      };
    }),
  };
}

function randomColumn(choose: Chooser, bind: () => BindingPolicy): ColumnPolicy {
  if (choose.chance(65)) return { acls: {}, bindings: {} };
  const bindings: Record<string, BindingPolicy | false> = choose.chance(60) ? sometimes(choose, 2, 60, bind) : {};
  if (choose.chance(25)) bindings.b0 = false;
  return {
    acls: {
      ...some(choose, ['select'], 40),
      ...some(choose, ['insert', 'update'], 12),
      ...some(choose, ['write'], 8),
      ...some(choose, ['enumerate'], 12),
    },
    bindings,
  };
}

/** Lists that leave the decision to bindings, mostly. */
const closing: readonly (readonly string[])[] = [[], [], ['nobody'], ['bob']];

function randomReference(
  choose: Chooser,
  to: number,
  cascades: boolean,
  bind: (to: number) => BindingPolicy,
): ReferencePolicy {
  const limited = choose.chance(55);
  const opened = choose.chance(50);
  const open: Acls = opened ? { insert: ['*'], update: ['*'] } : {};
  return {
    opened,
    acls: limited
      ? {
          ...open,
          insert: choose.pick(closing),
          ...some(choose, ['update'], 85),
          ...some(choose, ['write', 'enumerate'], 10),
        }
      : open,
    bindings: sometimes(choose, 1, 60, () => bind(to)),
    to,
    cascades,
  };
}

/** Bindings called `b0`, `b1`, …: the names of tables and columns meet. */
function sometimes(
  choose: Chooser,
  most: number,
  percent: number,
  bind: () => BindingPolicy,
): Record<string, BindingPolicy> {
  const found: Record<string, BindingPolicy> = {};
  for (let index = 0; index < most; index += 1) if (choose.chance(percent)) found[`b${index}`] = bind();
  return found;
}

/** Lists under some of the names. */
function some(choose: Chooser, names: readonly Access[], percent: number): Acls {
  const lists = names.filter(() => choose.chance(percent)).map((name) => [name, randomList(choose, name)]);
  return Object.fromEntries(lists);
}

function randomList(choose: Chooser, name: Access): readonly string[] {
  const open = name === 'enumerate' || name === 'select';
  const lists: (readonly string[])[] = [
    [],
    ['bob'],
    ['g1'],
    ['carol'],
    ['nobody'],
    ['bob', 'carol'],
    ['g2', 'nobody'],
    ['bob', 'nobody'],
    ['g1', 'g2'],
  ];
  return choose.pick(open ? [...lists, ['*'], ['*']] : lists);
}

const typesOf = {
  table: ['owner', 'select', 'update', 'delete'],
  column: ['owner', 'select', 'update', 'delete'],
  foreign_key: ['owner', 'insert', 'update'],
} as const;

function randomBinding(
  choose: Chooser,
  kind: keyof typeof typesOf,
  base: number,
  targets: readonly Readonly<Record<ReferenceName, number>>[],
): BindingPolicy {
  const steps: StepPolicy[] = [];
  /** Table of each instance. */
  const instances = [base];
  let context = 0;
  const count = choose.pick([0, 0, 0, 1, 1, 2, 3]);
  for (let index = 0; index < count; index += 1) {
    if (choose.chance(40)) {
      steps.push(randomFilter(choose, instances.length, 2));
      continue;
    }
    const from = choose.chance(35) ? choose.below(instances.length) : context;
    const link = randomLink(choose, from, instances[from] ?? 0, targets);
    steps.push(link);
    context = instances.length;
    instances.push(link.to);
  }
  const column = choose.pick(['own', 'own', 'acl', 'acl', 'RCB', 'n', 'f', 'RID']);
  const holdsRoles = column === 'own' || column === 'acl' || column === 'RCB' || column === 'RID';
  const [first, second] = [choose.pick(typesOf[kind]), choose.pick(typesOf[kind])];
  return {
    types: first === second ? [first] : [first, second],
    scope: choose.chance(75) ? ['*'] : choose.pick([['bob'], ['carol'], ['g1', 'nobody'], ['nobody']]),
    kind: holdsRoles && column !== 'RID' && choose.chance(75) ? 'acl' : 'nonnull',
    steps,
    column,
  };
}

function randomLink(
  choose: Chooser,
  from: number,
  table: number,
  targets: readonly Readonly<Record<ReferenceName, number>>[],
): LinkPolicy {
  const reference = choose.pick(['f', 'g'] as const);
  const holders = targets.flatMap((target, index) => (target[reference] === table ? [index] : []));
  const outbound = { kind: 'link', direction: 'outbound', holder: table, reference, from } as const;
  if (holders.length === 0 || choose.chance(50)) return { ...outbound, to: targets[table]?.[reference] ?? 0 };
  const holder = choose.pick(holders);
  return { kind: 'link', direction: 'inbound', holder, reference, from, to: holder };
}

function randomFilter(choose: Chooser, instances: number, depth: number): FilterPolicy {
  const negate = choose.chance(30);
  if (depth > 0 && choose.chance(40)) {
    const operands = Array.from({ length: 1 + choose.below(2) }, () => randomFilter(choose, instances, depth - 1));
    return { kind: choose.pick(['and', 'or'] as const), operands, negate };
  }
  const instance = choose.below(instances);
  const column = choose.pick(['own', 'acl', 'n', 'f', 'id']);
  const operators = {
    own: ['=', 'regexp', 'ciregexp', 'ts', 'null'],
    acl: ['=', 'regexp', 'null'],
    n: ['=', 'lt', 'leq', 'gt', 'geq', 'null'],
  };
  const operator = choose.pick(operators[column === 'own' || column === 'acl' ? column : 'n']);
  const operand =
    operator === 'null'
      ? null
      : column === 'own' || column === 'acl'
        ? choose.pick(operator === 'ts' ? ['bob', 'carol'] : ['bob', 'carol', 'nobody', 'g1'])
        : choose.below(6);
  return { kind: 'test', instance, column, operator, operand, negate };
}
