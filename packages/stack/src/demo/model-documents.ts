import { fileColumns, type Reference, type Survey } from './survey.js';

/**
 * The documents that define a survey's schema, tables, keys and foreign keys in one request (spec/catalog-model.md 12). The file
 * table comes last; a file is known by its name and by its URL.
 */
export function modelDocuments(survey: Survey): readonly object[] {
  const { schema, title, files } = survey;
  return [
    { schema_name: schema, comment: title },
    ...survey.tables.map(({ name, comment, columns, optional, key, references }) =>
      tableDocument(schema, { name, comment, columns, optional, keys: key === null ? [] : [key], references }),
    ),
    tableDocument(schema, {
      name: files.table,
      comment: files.comment,
      columns: { ...files.columns, ...fileColumns },
      optional: [],
      keys: [['filename'], ['url']],
      references: files.references,
    }),
  ];
}

interface TableParts {
  readonly name: string;
  readonly comment: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly optional: readonly string[];
  readonly keys: readonly (readonly string[])[];
  readonly references: readonly Reference[];
}

function tableDocument(schema: string, table: TableParts): object {
  return {
    schema_name: schema,
    table_name: table.name,
    comment: table.comment,
    column_definitions: Object.entries(table.columns).map(([name, type]) => ({
      name,
      type,
      nullok: table.optional.includes(name),
    })),
    keys: table.keys.map((columns) => ({ unique_columns: columns })),
    foreign_keys: table.references.map(({ columns, table: target, key }) => ({
      foreign_key_columns: columns.map((column) => ({
        schema_name: schema,
        table_name: table.name,
        column_name: column,
      })),
      referenced_columns: key.map((column) => ({ schema_name: schema, table_name: target, column_name: column })),
    })),
  };
}
