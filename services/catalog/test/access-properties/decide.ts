import {
  type Access,
  type Acls,
  type BindingPolicy,
  keyColumns,
  type Policy,
  type ReferenceName,
  referenceColumns,
  systemColumns,
  type TablePolicy,
} from './policy.js';
import type { Rules } from './rules.js';

/** A client by its roles. */
export interface ClientRoles {
  readonly name: string;
  readonly roles: readonly string[];
  readonly anonymous: boolean;
}

export type Decision = boolean | 'row';

/** The static decision of spec/catalog-access.md 2.4, read off its text, for one client and one policy. */
export interface Decisions {
  readonly client: ClientRoles;
  table(table: TablePolicy, access: Access): Decision;
  column(table: TablePolicy, column: string, access: Access): Decision;
  reference(table: TablePolicy, name: ReferenceName, access: Access): Decision;
  /** The bindings that may open rows: of a table, or those that count for a column, or those of a reference. */
  bindingsOfTable(table: TablePolicy, access: Access): readonly BindingPolicy[];
  bindingsOfColumn(table: TablePolicy, column: string, access: Access): readonly BindingPolicy[];
  bindingsOfReference(table: TablePolicy, name: ReferenceName, access: Access): readonly BindingPolicy[];
}

const implied: Readonly<Record<Access, readonly Access[]>> = {
  owner: ['create', 'write', 'insert', 'update', 'delete', 'select', 'enumerate'],
  write: ['insert', 'update', 'delete', 'select', 'enumerate'],
  update: ['select', 'enumerate'],
  delete: ['select', 'enumerate'],
  insert: ['enumerate'],
  select: ['enumerate'],
  create: ['enumerate'],
  enumerate: [],
};

export function decisionsFor(policy: Policy, client: ClientRoles, rules: Rules): Decisions {
  const roles = rules('groups count as roles')
    ? client.roles
    : client.roles.filter((role) => role === '*' || role === client.name);
  const matches = (list: readonly string[]): boolean => list.some((member) => roles.includes(member));
  const reads = (access: Access): boolean => access === 'enumerate' || access === 'select';
  const changesRefused = (access: Access): boolean =>
    rules('anonymous clients only read') && client.anonymous && !reads(access);

  /** Steps 3 to 5: lists of the element, then what its parent gives. */
  function byLists(acls: Acls, access: Access, parent: ((access: Access) => boolean) | null): boolean {
    const listed = (Object.keys(acls) as Access[]).some((name) => {
      const grants =
        name === access || (rules('a list grants what its name implies') && implied[name].includes(access));
      return grants && matches(acls[name] ?? []);
    });
    if (listed) return true;
    if (parent === null) return false;
    if (rules('the owner of the parent has every right') && parent('owner')) return true;
    const blocked = acls[access] !== undefined && rules('a list of its own blocks inheritance');
    return !blocked && rules('a right is inherited') && parent(access);
  }

  const catalog = (access: Access): boolean =>
    !changesRefused(access) && byLists({ owner: ['alice'], ...policy.catalogAcls }, access, null);
  const schema = (access: Access): boolean => !changesRefused(access) && byLists(policy.schemaAcls, access, catalog);

  function table(of: TablePolicy, access: Access): Decision {
    if (rules('a hidden schema hides its tables') && !schema('enumerate')) return false;
    if (changesRefused(access)) return false;
    if (byLists(of.acls, access, schema)) return true;
    return bindingsOfTable(of, access).length > 0 ? 'row' : false;
  }

  function column(of: TablePolicy, name: string, access: Access): Decision {
    const ofTable = table(of, access);
    if (ofTable === false && rules('a column has no right that its table lacks')) return false;
    const timed = name === 'RID' || name === 'RCT' || name === 'RMT';
    if (timed && reads(access) && rules('RID, RCT and RMT are seen with their table')) return ofTable;
    const system = systemColumns.some((one) => one === name);
    if (system && (access === 'update' || access === 'write') && rules('system columns are not changed')) return false;
    if (changesRefused(access)) return false;
    if (byLists(of.columns[name]?.acls ?? {}, access, (inherited) => table(of, inherited) === true)) return true;
    return bindingsOfColumn(of, name, access).length > 0 ? 'row' : false;
  }

  function reference(of: TablePolicy, name: ReferenceName, access: Access): Decision {
    const { acls } = of.references[name];
    if ((access === 'insert' || access === 'update') && acls[access] === undefined)
      if (rules('foreign keys are open without a list')) return true;
    if (access === 'enumerate' && rules('foreign keys are seen with both of their ends')) {
      const usable = (holder: TablePolicy) => (column_: string) =>
        column(holder, column_, 'enumerate') === true && column(holder, column_, 'select') !== false;
      const target = policy.tables[of.references[name].to] ?? of;
      if (table(target, 'enumerate') !== true) return false;
      if (!keyColumns[name].every(usable(target)) || !referenceColumns[name].every(usable(of))) return false;
    }
    if (byLists(acls, access, (inherited) => table(of, inherited) === true)) return true;
    return bindingsOfReference(of, name, access).length > 0 ? 'row' : false;
  }

  function inScope({ types, scope }: BindingPolicy, access: Access): boolean {
    if (rules('bindings have a scope') && !matches(scope)) return false;
    if (types.includes(access)) return true;
    if (types.includes('owner') && rules('bindings of type owner give every access')) return true;
    const changes = types.includes('update') || types.includes('delete');
    return access === 'select' && changes && rules('bindings to change rows let one read them');
  }

  /** Rows can be read, changed and deleted by bindings, and references placed; never anything else, and by strangers only read. */
  function givenByRow(access: Access): boolean {
    if (client.anonymous && access !== 'select' && rules('anonymous clients only read')) return false;
    return access === 'select' || access === 'update' || access === 'delete';
  }

  function bindingsOfTable(of: TablePolicy, access: Access): readonly BindingPolicy[] {
    return givenByRow(access) ? Object.values(of.bindings).filter((binding) => inScope(binding, access)) : [];
  }

  function bindingsOfColumn(of: TablePolicy, name: string, access: Access): readonly BindingPolicy[] {
    if (!givenByRow(access)) return [];
    const timed = name === 'RID' || name === 'RCT' || name === 'RMT';
    if (timed && access === 'select' && rules('RID, RCT and RMT are seen with their table'))
      return bindingsOfTable(of, access);
    const own = of.columns[name]?.bindings ?? {};
    const kept = Object.entries(own).filter(
      ([, binding]) => binding !== false || rules('false switches a binding of the table off'),
    );
    const inherited = rules('columns take over bindings of their table') ? of.bindings : {};
    const effective = rules('bindings of a column replace those of its table by name')
      ? Object.values({ ...inherited, ...Object.fromEntries(kept) })
      : [...Object.values(inherited), ...kept.map(([, binding]) => binding)];
    return effective.flatMap((binding) => (binding !== false && inScope(binding, access) ? [binding] : []));
  }

  function bindingsOfReference(of: TablePolicy, name: ReferenceName, access: Access): readonly BindingPolicy[] {
    if (access !== 'insert' && access !== 'update') return [];
    if (client.anonymous || !rules('references are open by bindings')) return [];
    return Object.values(of.references[name].bindings).filter((binding) => inScope(binding, access));
  }

  return {
    client: { ...client, roles },
    table: remembered(table),
    column: remembered(column),
    reference: remembered(reference),
    bindingsOfTable,
    bindingsOfColumn,
    bindingsOfReference,
  };
}

/** The same answer for the same question. */
function remembered<Rest extends readonly string[], Result>(
  decide: (table: TablePolicy, ...rest: Rest) => Result,
): (table: TablePolicy, ...rest: Rest) => Result {
  const known = new Map<string, Result>();
  return (table, ...rest) => {
    const key = [table.name, ...rest].join(' ');
    const before = known.get(key);
    if (before !== undefined) return before;
    const result = decide(table, ...rest);
    known.set(key, result);
    return result;
  };
}
