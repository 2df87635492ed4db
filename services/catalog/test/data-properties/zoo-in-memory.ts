import { buildModel } from '../../src/model/build-model.js';
import type { ElementRow } from '../../src/model/element-rows.js';
import { type Model, systemColumns } from '../../src/model/model.js';

/** Part of the sample model of spec/catalog-data.md 11.1, as a model of the service without any database. Alice owns it. */
export function zooInMemory(): Model {
  const rows: readonly ElementRow[] = [
    { rid: '0', parent: '0', kind: 'acl', doc: { owner: ['alice'] } },
    { rid: 'zoo', parent: '0', kind: 'schema', doc: { name: 'zoo', comment: null } },
    ...table(
      'species',
      ['id:int4!', 'code:text!', 'name:text', 'legs:int2', 'tags:text[]', 'info:jsonb'],
      [['id'], ['code']],
    ),
    ...table('enclosure', ['id:int4!', 'name:text!', 'opened:date'], [['id']]),
    ...table(
      'animal',
      [
        'id:int8!',
        'name:text',
        'species_id:int4',
        'enclosure_id:int4',
        'mother_id:int8',
        'weight:float8',
        'born:timestamptz',
      ],
      [['id']],
    ),
    ...table('transfer', ['id:int4!', 'animal_id:int8', 'from_id:int4', 'to_id:int4', 'day:date'], [['id']]),
    ...table('census', ['site:text!', 'yr:int4!', 'num:int4'], [['site', 'yr']]),
    ...table('census_note', ['id:int4!', 'site:text', 'yr:int4', 'note:text'], [['id']]),
  ];
  return buildModel(1n, [
    ...rows,
    foreignKey(rows, 'animal', ['species_id'], 'species', ['id']),
    foreignKey(rows, 'animal', ['enclosure_id'], 'enclosure', ['id']),
    foreignKey(rows, 'animal', ['mother_id'], 'animal', ['id']),
    foreignKey(rows, 'transfer', ['animal_id'], 'animal', ['id']),
    foreignKey(rows, 'transfer', ['from_id'], 'enclosure', ['id']),
    foreignKey(rows, 'transfer', ['to_id'], 'enclosure', ['id']),
    foreignKey(rows, 'census_note', ['site', 'yr'], 'census', ['site', 'yr']),
  ]);
}

const systemTypes: Readonly<Record<string, string>> = { RID: 'rid', RCT: 'rct', RMT: 'rmt', RCB: 'rcb', RMB: 'rmb' };

function table(name: string, sketches: readonly string[], keys: readonly (readonly string[])[]): readonly ElementRow[] {
  const all = [
    ...systemColumns.map((column) => `${column}:${systemTypes[column] ?? ''}${/B$/.test(column) ? '' : '!'}`),
    ...sketches,
  ];
  // ids of one length keep the columns in order
  const columnId = (column: string): string =>
    `${name}.${all.findIndex((sketch) => sketch.startsWith(`${column}:`)) + 10}`;
  return [
    { rid: name, parent: 'zoo', kind: 'table', doc: { name, relation: 'table', comment: null } },
    ...all.map((sketch, at): ElementRow => {
      const [column = '', type = ''] = sketch.replace('!', '').split(':');
      const doc = { name: column, type, nullok: !sketch.endsWith('!'), default: null, comment: null, attnum: at + 1 };
      return { rid: columnId(column), parent: name, kind: 'column', doc };
    }),
    ...[['RID'], ...keys].map((columns): ElementRow => {
      const doc = {
        name: `${name}_${columns.join('_')}_key`,
        columns: columns.map(columnId),
        comment: null,
      };
      return { rid: keyId(name, columns), parent: name, kind: 'key', doc };
    }),
  ];
}

/** Of `species.id` the id that {@link table} gives it. */
function idIn(rows: readonly ElementRow[], tableName: string, column: string): string {
  const found = rows.find((row) => row.kind === 'column' && row.parent === tableName && row.doc.name === column);
  if (found === undefined) throw new Error(`There is no column ${tableName}.${column}.`);
  return found.rid;
}

function foreignKey(
  rows: readonly ElementRow[],
  from: string,
  columns: readonly string[],
  to: string,
  toColumns: readonly string[],
): ElementRow {
  const doc = {
    name: `${from}_${columns.join('_')}_fkey`,
    columns: columns.map((one) => idIn(rows, from, one)),
    key: keyId(to, toColumns),
    referenced: toColumns.map((one) => idIn(rows, to, one)),
    on_delete: 'NO ACTION',
    on_update: 'NO ACTION',
    comment: null,
  } as const;
  return { rid: `${from}>${columns.join()}`, parent: from, kind: 'foreign_key', doc };
}

function keyId(table: string, columns: readonly string[]): string {
  return `${table}#${columns.join()}`;
}
