import {
  type Acls,
  allColumns,
  type BindingPolicy,
  columnTypes,
  DEFAULT_N,
  type FilterPolicy,
  keyColumns,
  type Policy,
  type ReferenceName,
  referenceColumns,
  type StepPolicy,
  type TablePolicy,
  userColumns,
} from './policy.js';

/** The document that makes the schema of a policy, with tables, lists and bindings. */
export function schemaDocument(schema: string, policy: Policy): object {
  const tables = policy.tables.map((table) => [table.name, tableDocument(schema, policy, table)] as const);
  return { schemas: { [schema]: { acls: policy.schemaAcls, tables: Object.fromEntries(tables) } } };
}

/** Lists of the catalog; alice stays its owner. */
export function catalogAcls(policy: Policy): Acls {
  return { owner: ['alice'], ...policy.catalogAcls };
}

function tableDocument(schema: string, policy: Policy, table: TablePolicy): object {
  return {
    acls: table.acls,
    acl_bindings: bindingDocuments(schema, table.bindings),
    column_definitions: allColumns.map((name) => {
      const { acls, bindings } = table.columns[name] ?? { acls: {}, bindings: {} };
      const type = columnTypes[name];
      const definition =
        type === undefined
          ? { type: name.toLowerCase(), nullok: name === 'RCB' || name === 'RMB' }
          : { type, nullok: name !== 'id' && name !== 'k', ...(name === 'n' ? { default: DEFAULT_N } : {}) };
      return { name, ...definition, acls, acl_bindings: bindingDocuments(schema, bindings) };
    }),
    keys: [{ unique_columns: ['RID'] }, { unique_columns: ['id'] }, { unique_columns: ['id', 'k'] }],
    foreign_keys: (['f', 'g'] as const).map((reference) => referenceDocument(schema, policy, table, reference)),
  };
}

function referenceDocument(schema: string, policy: Policy, table: TablePolicy, reference: ReferenceName): object {
  const { acls, bindings, to, cascades } = table.references[reference];
  const column = (table_name: string) => (column_name: string) => ({ schema_name: schema, table_name, column_name });
  return {
    names: [[schema, constraintName(table.name, reference)]],
    foreign_key_columns: referenceColumns[reference].map(column(table.name)),
    referenced_columns: keyColumns[reference].map(column(policy.tables[to]?.name ?? '')),
    on_delete: cascades ? 'CASCADE' : 'NO ACTION',
    acls,
    acl_bindings: bindingDocuments(schema, bindings),
  };
}

/** The path of a reference below the catalog. */
export function referencePath(schema: string, policy: Policy, table: TablePolicy, reference: ReferenceName): string {
  const to = policy.tables[table.references[reference].to]?.name ?? '';
  const [from, key] = [referenceColumns[reference], keyColumns[reference]].map((columns) => columns.join(','));
  return `schema/${schema}/table/${table.name}/foreignkey/${from}/reference/${schema}:${to}/${key}`;
}

function constraintName(table: string, reference: ReferenceName): string {
  return `${table}_${reference}`;
}

function bindingDocuments(schema: string, bindings: Readonly<Record<string, BindingPolicy | false>>): object {
  return Object.fromEntries(
    Object.entries(bindings).map(([name, binding]) => [
      name,
      binding === false ? false : bindingDocument(schema, binding),
    ]),
  );
}

function bindingDocument(schema: string, { types, scope, kind, steps, column }: BindingPolicy): object {
  let bound = 0;
  const projection = steps.map((step) => {
    if (step.kind === 'link') bound += 1;
    return stepDocument(schema, step, bound);
  });
  return { types, projection: [...projection, column], projection_type: kind, scope_acl: scope };
}

function stepDocument(schema: string, step: StepPolicy, bound: number): object {
  if (step.kind !== 'link') return filterDocument(step);
  const { direction, holder, reference, from } = step;
  return { [direction]: [schema, constraintName(`t${holder}`, reference)], context: alias(from), alias: alias(bound) };
}

function filterDocument(filter: FilterPolicy): object {
  const negate = filter.negate ? { negate: true } : {};
  if (filter.kind !== 'test') return { [filter.kind]: filter.operands.map(filterDocument), ...negate };
  const { instance, column, operator, operand } = filter;
  return { filter: [alias(instance), column], operator, ...(operand === null ? {} : { operand }), ...negate };
}

function alias(instance: number): string {
  return instance === 0 ? 'base' : `a${instance}`;
}

/** A row as it is sent: without system columns. */
export function sentRow(row: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(userColumns.map((name) => [name, row[name] ?? null]));
}
