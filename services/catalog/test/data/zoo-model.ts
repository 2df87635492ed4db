import type { WireProfileName } from '@holdfast/http-kit';

/**
 * The sample model of the worked examples, spec/catalog-data.md 11.1, as documents of the model interface: in the short form
 * (types as strings, no system columns) for the standard profile, written out as older clients do for the other.
 */
export function zooModel(profile: WireProfileName): unknown {
  const form = forms[profile];
  return { schemas: Object.fromEntries(Object.entries(tables).map(([schema, list]) => schemaDocument(schema, list))) };

  function schemaDocument(schema: string, list: readonly TableSketch[]): [string, unknown] {
    const documents = Object.fromEntries(list.map((table) => [table.name, tableDocument(schema, table)]));
    return [schema, { schema_name: schema, tables: documents }];
  }

  function tableDocument(schema: string, table: TableSketch): unknown {
    return {
      schema_name: schema,
      table_name: table.name,
      column_definitions: [
        ...form.systemColumns,
        ...table.columns.map((column) => columnDocument(column, form.type, table.defaults ?? {})),
      ],
      keys: [
        ...form.systemKeys(schema, table.name),
        ...(table.keys ?? []).map((key) => keyDocument(schema, table, key)),
      ],
      foreign_keys: (table.references ?? []).map((reference) => referenceDocument(schema, table, reference)),
    };
  }
}

interface TableSketch {
  readonly name: string;
  /** `name:type`, with `!` at the end when not null. */
  readonly columns: readonly string[];
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly keys?: readonly (readonly string[])[];
  /** Columns, table of the same schema, its columns. */
  readonly references?: readonly (readonly [readonly string[], string, readonly string[]])[];
}

const tables: Readonly<Record<string, readonly TableSketch[]>> = {
  zoo: [
    {
      name: 'species',
      columns: ['id:int4!', 'code:text!', 'name:text', 'legs:int2', 'tags:text[]', 'info:jsonb'],
      keys: [['id'], ['code']],
    },
    { name: 'enclosure', columns: ['id:int4!', 'name:text!', 'opened:date'], keys: [['id']] },
    {
      name: 'animal',
      columns: [
        'id:int8!',
        'name:text',
        'species_id:int4',
        'enclosure_id:int4',
        'mother_id:int8',
        'weight:float8',
        'born:timestamptz',
      ],
      keys: [['id']],
      references: [
        [['species_id'], 'species', ['id']],
        [['enclosure_id'], 'enclosure', ['id']],
        [['mother_id'], 'animal', ['id']],
      ],
    },
    {
      name: 'transfer',
      columns: ['id:serial4!', 'animal_id:int8', 'from_id:int4', 'to_id:int4', 'day:date'],
      keys: [['id']],
      references: [
        [['animal_id'], 'animal', ['id']],
        [['from_id'], 'enclosure', ['id']],
        [['to_id'], 'enclosure', ['id']],
      ],
    },
    { name: 'census', columns: ['site:text!', 'yr:int4!', 'num:int4'], keys: [['site', 'yr']] },
    {
      name: 'census_note',
      columns: ['id:int4!', 'site:text', 'yr:int4', 'note:text'],
      keys: [['id']],
      references: [[['site', 'yr'], 'census', ['site', 'yr']]],
    },
    { name: 'bare', columns: ['value:text'], defaults: { value: 'none' } },
  ],
  lab: [{ name: 'animal', columns: ['id:int4!', 'label:text'], keys: [['id']] }],
};

interface Form {
  readonly type: (name: string) => unknown;
  readonly systemColumns: readonly unknown[];
  readonly systemKeys: (schema: string, table: string) => readonly unknown[];
}

const forms: Readonly<Record<WireProfileName, Form>> = {
  standard: { type: (name) => name, systemColumns: [], systemKeys: () => [] },
  deriva: {
    type: typeObject,
    systemColumns: [
      systemColumn('RID', 'ermrest_rid', 'text', false),
      systemColumn('RCT', 'ermrest_rct', 'timestamptz', false),
      systemColumn('RMT', 'ermrest_rmt', 'timestamptz', false),
      systemColumn('RCB', 'ermrest_rcb', 'text', true),
      systemColumn('RMB', 'ermrest_rmb', 'text', true),
    ],
    systemKeys: (schema, table) => [{ names: [[schema, `${table}_RID_key`]], unique_columns: ['RID'] }],
  },
};

function typeObject(name: string): unknown {
  if (!name.endsWith('[]')) return { typename: name };
  return { typename: name, is_array: true, base_type: { typename: name.slice(0, -2) } };
}

function systemColumn(name: string, domain: string, base: string, nullok: boolean): unknown {
  return { name, type: { typename: domain, is_domain: true, base_type: { typename: base } }, nullok };
}

function columnDocument(
  sketch: string,
  type: (name: string) => unknown,
  defaults: Readonly<Record<string, unknown>>,
): unknown {
  const [name = '', typeName = ''] = sketch.replace('!', '').split(':');
  const column = { name, type: type(typeName), nullok: !sketch.endsWith('!') };
  return name in defaults ? { ...column, default: defaults[name] } : column;
}

function keyDocument(schema: string, table: TableSketch, columns: readonly string[]): unknown {
  return { names: [[schema, `${table.name}_${columns.join('_')}_key`]], unique_columns: columns };
}

function referenceDocument(
  schema: string,
  table: TableSketch,
  [columns, to, keyColumns]: readonly [readonly string[], string, readonly string[]],
): unknown {
  const cell = (table_name: string) => (column_name: string) => ({ schema_name: schema, table_name, column_name });
  return {
    names: [[schema, `${table.name}_${columns.join('_')}_fkey`]],
    foreign_key_columns: columns.map(cell(table.name)),
    referenced_columns: keyColumns.map(cell(to)),
  };
}
