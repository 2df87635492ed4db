import type { Migration } from '@holdfast/pg-kit';
import type { Knex } from 'knex';
import { bookkeepingTables, changeFunctions, domains, identityFunctions } from './bookkeeping.js';
import { createBuiltinTable, insertElements, nextRids } from './builtin-table.js';
import { changesByHand } from './by-hand.js';
import { dataFunctions } from './data-functions.js';
import { beginStatement, writeCapture } from './history-triggers.js';
import { idFunctions } from './id-functions.js';
import { lateWorkTable } from './late-work.js';
import { keepRows, rowHistory } from './row-history.js';
import { snapshotStateFunction, stateFunction } from './state-function.js';

/** Newest step of {@link catalogMigrations}; part of the name of the template databases. */
export const LAYOUT_VERSION = '0007';

/**
 * Steps of the layout of a catalog's database. They run in the template from which catalogs are copied, in catalogs of an older
 * layout, and in the registry.
 * @param tablePrefix start of the names of the built-in tables; a database keeps the names it was made with
 */
export function catalogMigrations(tablePrefix: string): readonly Migration[] {
  return [
    { name: '0001-bookkeeping', up: bookkeeping },
    { name: '0001-public-schema', up: (knex) => publicSchema(knex, tablePrefix) },
    {
      name: '0002-changes-by-hand',
      up: async (knex) => {
        await knex.raw(changesByHand);
      },
    },
    {
      name: '0003-state-function',
      up: async (knex) => {
        await knex.raw(stateFunction);
      },
    },
    {
      name: '0004-late-work',
      up: async (knex) => {
        await knex.raw(lateWorkTable);
      },
    },
    {
      name: '0005-row-history',
      up: async (knex) => {
        await knex.raw(rowHistory);
        await knex.raw(snapshotStateFunction);
      },
    },
    {
      // the functions that the triggers call failed on a column called like their variable
      name: '0006-capture-names',
      up: async (knex) => {
        await knex.raw(writeCapture());
        await knex.raw(`select _catalog.write_capture(rid, _catalog.live_relation(rid), epoch)
          from _catalog.capture where epoch < 'infinity' and _catalog.live_relation(rid) is not null`);
      },
    },
    {
      // SQL by hand could have rows of the past shown twice, or under other columns
      name: '0007-capture-by-hand',
      up: async (knex) => {
        await knex.raw(beginStatement());
        await knex.raw(writeCapture());
        await knex.raw(keepRows());
        await knex.raw(renewTriggers);
      },
    },
  ];
}

/** Makes the triggers of captured tables again, as they are made now. */
const renewTriggers = `
do $$
declare
  known _catalog.capture;
begin
  for known in select * from _catalog.capture where epoch < 'infinity' and _catalog.live_relation(rid) is not null loop
    execute format('drop trigger if exists _catalog_touch on %s', _catalog.live_relation(known.rid));
    perform _catalog.write_capture(known.rid, _catalog.live_relation(known.rid), known.epoch);
  end loop;
end
$$`;

async function bookkeeping(knex: Knex): Promise<void> {
  await knex.raw(domains());
  await knex.raw(idFunctions());
  await knex.raw(bookkeepingTables);
  await knex.raw(changeFunctions);
  await knex.raw(identityFunctions);
  await knex.raw(dataFunctions);
  // regular expression predicates work without it, only slower: a server may lack the extension
  const { rows } = await knex.raw<{ rows: unknown[] }>(`select from pg_available_extensions where name = 'pg_trgm'`);
  if (rows.length > 0) await knex.raw('create extension if not exists pg_trgm with schema _catalog');
}

const hidden = { insert: [], update: [], delete: [], select: [], enumerate: [] };

/** Spec/catalog-model.md 23. */
async function publicSchema(knex: Knex, tablePrefix: string): Promise<void> {
  const [schemaRid = ''] = await nextRids(knex, 1);
  await knex.raw('create schema if not exists public');
  const doc = { name: 'public', comment: 'standard public schema' };
  await insertElements(knex, [{ rid: schemaRid, kind: 'schema', parent: '0', doc }]);
  const place = { schema: 'public', schemaRid };
  await createBuiltinTable(knex, {
    ...place,
    name: `${tablePrefix}Client`,
    builtin: 'client',
    columns: [
      { name: 'ID', type: 'text', sqlType: 'text', nullok: false },
      { name: 'Display_Name', type: 'text', sqlType: 'text' },
      { name: 'Full_Name', type: 'text', sqlType: 'text' },
      { name: 'Email', type: 'text', sqlType: 'text' },
      { name: 'Client_Object', type: 'jsonb', sqlType: 'jsonb', nullok: false },
    ],
    keys: [['ID']],
    acls: hidden,
  });
  await createBuiltinTable(knex, {
    ...place,
    name: `${tablePrefix}Group`,
    builtin: 'group',
    columns: [
      { name: 'ID', type: 'text', sqlType: 'text', nullok: false },
      { name: 'URL', type: 'text', sqlType: 'text' },
      { name: 'Display_Name', type: 'text', sqlType: 'text' },
      { name: 'Description', type: 'text', sqlType: 'text' },
    ],
    keys: [['ID']],
    acls: hidden,
  });
  await createBuiltinTable(knex, {
    ...place,
    name: `${tablePrefix}RID_Lease`,
    builtin: 'lease',
    columns: [{ name: 'ID', type: 'text', sqlType: 'text' }],
    keys: [['RCB', 'ID']],
    acls: { select: [], update: [], delete: [], enumerate: ['*'] },
    bindings: { lessee_access: { types: ['select', 'update', 'delete'], column: 'RCB' } },
  });
}
