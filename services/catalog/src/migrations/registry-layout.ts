import type { Migration } from '@holdfast/pg-kit';
import type { Knex } from 'knex';
import {
  type BuiltinColumn,
  type BuiltinTableRids,
  createBuiltinTable,
  insertElements,
  nextRids,
  rowBindings,
} from './builtin-table.js';

/**
 * Steps of the registry beside those of a catalog, as which it is laid out (spec/catalog-model.md 5.1).
 * @param schemaName schema of the table `registry`
 */
export function registryMigrations(schemaName: string): readonly Migration[] {
  return [
    { name: 'registry-0001-registry-table', up: (knex) => registryTable(knex, schemaName) },
    {
      // a new registry gets its table after the layout of catalogs was made
      name: 'registry-0002-row-history',
      up: async (knex) => {
        await knex.raw(
          `select _catalog.renew_capture(rid, '-infinity') from _catalog.elem where kind = 'table' and hi = 'infinity'`,
        );
      },
    },
  ];
}

const columns: readonly BuiltinColumn[] = [
  { name: 'id', type: 'text', sqlType: 'text', nullok: false },
  { name: 'is_catalog', type: 'boolean', sqlType: 'boolean', nullok: false },
  {
    name: 'is_persistent',
    type: 'boolean',
    sqlType: 'boolean',
    nullok: false,
    default: { json: true, sql: 'true' },
  },
  { name: 'deleted_on', type: 'timestamptz', sqlType: 'timestamptz' },
  { name: 'owner', type: 'text[]', sqlType: 'text[]' },
  { name: 'descriptor', type: 'jsonb', sqlType: 'jsonb' },
  { name: 'alias_target', type: 'text', sqlType: 'text' },
  { name: 'clone_source', type: 'text', sqlType: 'text' },
  { name: 'name', type: 'text', sqlType: 'text' },
  { name: 'description', type: 'markdown', sqlType: '_catalog.markdown' },
];

/** Columns that owners of an entry may change (5.2). */
const ownersChange = new Set(['name', 'description', 'clone_source', 'is_persistent']);

async function registryTable(knex: Knex, schemaName: string): Promise<void> {
  const [schemaRid = ''] = await nextRids(knex, 1);
  await knex.raw(`create schema if not exists "${schemaName}"`);
  await insertElements(knex, [
    { rid: schemaRid, kind: 'schema', parent: '0', doc: { name: schemaName, comment: 'the catalogs and aliases' } },
  ]);
  const rids = await createBuiltinTable(knex, {
    schema: schemaName,
    schemaRid,
    name: 'registry',
    builtin: 'registry',
    columns,
    keys: [['id']],
    acls: { select: ['*'] },
    bindings: { update_by_owner: { types: ['update'], column: 'owner' } },
  });
  await insertElements(
    knex,
    Object.entries(rids.columns).flatMap(([name, rid]) => columnPolicy(name, rid, rids)),
  );
  await addForeignKeys(knex, schemaName, rids);
  await knex.raw(`alter table "${schemaName}".registry
    add check (not is_catalog or alias_target is null),
    add check (alias_target is null or clone_source is null)`);
  await knex.raw('create sequence _catalog.catalog_id_seq; create sequence _catalog.storage_seq');
  await catalogConfiguration(knex);
  await knex.raw(`insert into _catalog.snap (ts, client, model, tables)
    select _catalog.begin_change(null, 10000), null, true, '{}'`);
  await knex.raw(`insert into "${schemaName}".registry (id, is_catalog, owner, descriptor)
    values ('0', true, '{}', jsonb_build_object('registry', true, 'mark', left(replace(gen_random_uuid()::text, '-', ''), 8)))`);
}

function columnPolicy(
  name: string,
  rid: string,
  { table: parent, columns: columnRids }: BuiltinTableRids,
): readonly { rid: string; kind: string; parent: string; doc: object }[] {
  const own =
    name === 'owner' ? rowBindings({ select_by_owner: { types: ['select'], column: 'owner' } }, columnRids) : {};
  const bindings = { ...own, ...(ownersChange.has(name) ? {} : { update_by_owner: false }) };
  const acls = name === 'descriptor' ? { enumerate: [], select: [] } : name === 'owner' ? { select: [] } : {};
  return [
    ...(Object.keys(bindings).length === 0 ? [] : [{ rid, kind: 'binding', parent, doc: bindings }]),
    ...(Object.keys(acls).length === 0 ? [] : [{ rid, kind: 'acl', parent, doc: acls }]),
  ];
}

/** `alias_target` and `clone_source` refer to the table itself, `RCB` and `RMB` to the client table. */
async function addForeignKeys(
  knex: Knex,
  schemaName: string,
  rids: {
    readonly table: string;
    readonly columns: Readonly<Record<string, string>>;
    readonly keys: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const client = await clientKey(knex);
  const own = {
    key: rids.keys.registry_id_key ?? '',
    referenced: rids.columns.id ?? '',
    target: `"${schemaName}".registry (id)`,
  };
  const foreignKeys = [
    { ...own, column: 'alias_target', actions: ['SET NULL', 'CASCADE'] },
    { ...own, column: 'clone_source', actions: ['SET NULL', 'CASCADE'] },
    { ...client, column: 'RCB', actions: ['NO ACTION', 'NO ACTION'] },
    { ...client, column: 'RMB', actions: ['NO ACTION', 'NO ACTION'] },
  ];
  const newRids = await nextRids(knex, foreignKeys.length);
  for (const [index, { column, key, referenced, target, actions }] of foreignKeys.entries()) {
    const name = `registry_${column}_fkey`;
    const [onDelete = '', onUpdate = ''] = actions;
    await knex.raw(`alter table "${schemaName}".registry add constraint "${name}" foreign key ("${column}")
      references ${target} on delete ${onDelete} on update ${onUpdate} deferrable initially immediate`);
    const place = { rid: newRids[index] ?? '', parent: rids.table };
    await insertElements(knex, [
      {
        ...place,
        kind: 'foreign_key',
        doc: {
          name,
          columns: [rids.columns[column]],
          key,
          referenced: [referenced],
          on_delete: onDelete,
          on_update: onUpdate,
          comment: null,
        },
      },
      { ...place, kind: 'acl', doc: { insert: ['*'], update: ['*'] } },
    ]);
  }
}

async function clientKey(
  knex: Knex,
): Promise<{ readonly key: string; readonly referenced: string; readonly target: string }> {
  const { rows } = await knex.raw<{ rows: { key: string; referenced: string; name: string }[] }>(
    `select k.rid as key, c.rid as referenced, t.doc->>'name' as name
       from _catalog.elem t
       join _catalog.elem c on c.parent = t.rid and c.kind = 'column' and c.doc->>'name' = 'ID'
       join _catalog.elem k on k.parent = t.rid and k.kind = 'key' and k.doc->'columns' = jsonb_build_array(c.rid)
      where t.kind = 'table' and t.doc->>'builtin' = 'client'`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The registry has no client table.');
  return { key: row.key, referenced: row.referenced, target: `public."${row.name}" ("ID")` };
}

/** Everybody sees that the registry is there, nobody owns it: changes are made by the operator (5.2). */
async function catalogConfiguration(knex: Knex): Promise<void> {
  const names = ['owner', 'create', 'select', 'insert', 'update', 'delete', 'write'];
  const doc = { ...Object.fromEntries(names.map((name) => [name, []])), enumerate: ['*'] };
  await insertElements(knex, [{ rid: '0', kind: 'acl', parent: '0', doc }]);
}
