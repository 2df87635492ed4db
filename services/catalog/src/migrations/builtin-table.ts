import type { Knex } from 'knex';

/** A table that migrations make, with its rows of the bookkeeping. */
export interface BuiltinTableDefinition {
  readonly schema: string;
  readonly schemaRid: string;
  readonly name: string;
  readonly builtin: string;
  readonly columns: readonly BuiltinColumn[];
  /** Beside the one on `RID`. */
  readonly keys: readonly (readonly string[])[];
  readonly acls: object;
  /** A binding for clients that the value of one of the columns names; made of the name of the column. */
  readonly bindings?: Readonly<Record<string, { readonly types: readonly string[]; readonly column: string }>>;
}

/** A column beside the five system columns. */
export interface BuiltinColumn {
  readonly name: string;
  /** Canonical type name. */
  readonly type: string;
  readonly sqlType: string;
  readonly nullok?: boolean;
  readonly default?: { readonly json: unknown; readonly sql: string };
}

/** RIDs of what was made, by name. */
export interface BuiltinTableRids {
  readonly table: string;
  readonly columns: Readonly<Record<string, string>>;
  /** By name of the constraint. */
  readonly keys: Readonly<Record<string, string>>;
}

const system: readonly BuiltinColumn[] = [
  { name: 'RID', type: 'rid', sqlType: '_catalog.rid default _catalog.next_rid()', nullok: false },
  { name: 'RCT', type: 'rct', sqlType: '_catalog.rct default _catalog.now()', nullok: false },
  { name: 'RMT', type: 'rmt', sqlType: '_catalog.rmt default _catalog.now()', nullok: false },
  { name: 'RCB', type: 'rcb', sqlType: '_catalog.rcb default _catalog.client()' },
  { name: 'RMB', type: 'rmb', sqlType: '_catalog.rmb default _catalog.client()' },
];

/** Creates the table and its elements. Names here are those of the service's own tables: they need no escaping but quotes. */
export async function createBuiltinTable(knex: Knex, table: BuiltinTableDefinition): Promise<BuiltinTableRids> {
  const columns = [...system, ...table.columns];
  const keys = [['RID'], ...table.keys].map((members) => ({ name: `${table.name}_${members.join('_')}_key`, members }));
  const lines = [
    ...columns.map(
      (column) =>
        `"${column.name}" ${column.sqlType}${column.nullok === false ? ' not null' : ''}${
          column.default === undefined ? '' : ` default ${column.default.sql}`
        }`,
    ),
    ...keys.map(({ name, members }) => `constraint "${name}" unique (${members.map((m) => `"${m}"`).join(', ')})`),
  ];
  await knex.raw(`create table "${table.schema}"."${table.name}" (\n  ${lines.join(',\n  ')}\n)`);
  const [rid = '', ...rids] = await nextRids(knex, 1 + columns.length + keys.length);
  const columnRids = Object.fromEntries(columns.map(({ name }, index) => [name, rids[index] ?? '']));
  const keyRids = Object.fromEntries(keys.map(({ name }, index) => [name, rids[columns.length + index] ?? '']));
  await insertElements(knex, [
    {
      rid,
      kind: 'table',
      parent: table.schemaRid,
      doc: { name: table.name, relation: 'table', comment: null, builtin: table.builtin },
    },
    { rid, kind: 'acl', parent: table.schemaRid, doc: table.acls },
    ...(table.bindings === undefined
      ? []
      : [{ rid, kind: 'binding', parent: table.schemaRid, doc: rowBindings(table.bindings, columnRids) }]),
    ...columns.map(({ name, type, nullok = true, default: value }) => ({
      rid: columnRids[name] ?? '',
      kind: 'column',
      parent: rid,
      doc: { name, type, nullok, default: value?.json ?? null, comment: null },
    })),
    ...keys.map(({ name, members }) => ({
      rid: keyRids[name] ?? '',
      kind: 'key',
      parent: rid,
      doc: { name, columns: members.map((member) => columnRids[member]), comment: null },
    })),
  ]);
  return { table: rid, columns: columnRids, keys: keyRids };
}

/** Bindings of the bookkeeping, which name columns by RID. */
export function rowBindings(
  bindings: NonNullable<BuiltinTableDefinition['bindings']>,
  columnRids: Readonly<Record<string, string>>,
): object {
  return Object.fromEntries(
    Object.entries(bindings).map(([name, { types, column }]) => {
      const projection = [columnRids[column]];
      return [name, { types, projection, projection_type: 'acl', scope_acl: ['*'], uses: projection }];
    }),
  );
}

/** The next free RIDs, oldest first. */
export async function nextRids(knex: Knex, count: number): Promise<readonly string[]> {
  const { rows } = await knex.raw<{ rows: { rid: string }[] }>(
    'select _catalog.next_rid() as rid from generate_series(1, ?)',
    [count],
  );
  return rows.map((row) => row.rid);
}

interface NewElement {
  readonly rid: string;
  readonly kind: string;
  readonly parent: string;
  readonly doc: object;
}

/** Enters elements into the bookkeeping and ties them to their database objects. */
export async function insertElements(knex: Knex, elements: readonly NewElement[]): Promise<void> {
  await knex.raw(
    `insert into _catalog.elem (rid, kind, parent, lo, doc)
       select rid, kind, parent, clock_timestamp(), doc
         from jsonb_to_recordset(?::jsonb) as given (rid text, kind text, parent text, doc jsonb)`,
    [JSON.stringify(elements)],
  );
  await knex.raw('select _catalog.tie_elements(?::text[])', [elements.map(({ rid }) => rid)]);
}
