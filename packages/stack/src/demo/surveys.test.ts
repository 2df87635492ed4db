import { describe, expect, it } from '@jest/globals';
import { modelDocuments } from './model-documents.js';
import { portal } from './portal.js';
import { tidePools } from './tide-pools.js';

describe.each([tidePools, portal])('the description of $title', (survey) => {
  const tables = [...survey.tables, { ...survey.files, name: survey.files.table, optional: [], key: ['filename'] }];

  it('names only columns that it has', () => {
    for (const { columns, optional, key, references } of survey.tables) {
      const used = [...optional, ...(key ?? []), ...references.flatMap((reference) => reference.columns)];
      expect(Object.keys(columns)).toEqual(expect.arrayContaining([...new Set(used)]));
    }
  });

  it('refers to keys of tables that come before', () => {
    for (const [index, { references }] of tables.entries()) {
      for (const { table, key, columns } of references) {
        expect(tables.slice(0, index).find(({ name }) => name === table)?.key).toEqual(key);
        expect(columns).toHaveLength(key.length);
      }
    }
  });

  it('asks over tables of its own schema', () => {
    const asked = [...survey.question.path.matchAll(/=(\w+):(\w+)\//g)].filter(
      ([, schema]) => schema === survey.schema,
    );
    expect(asked.length).toBeGreaterThanOrEqual(3);
    for (const [, , table] of asked) expect(survey.tables.map(({ name }) => name)).toContain(table);
  });

  it('becomes a schema document and a document for each table', () => {
    const [schema, ...rest] = modelDocuments(survey);
    expect(schema).toEqual({ schema_name: survey.schema, comment: survey.title });
    expect(rest).toHaveLength(tables.length);
  });
});

describe('the documents of a model', () => {
  it('hold composite foreign keys, column by column', () => {
    expect(modelDocuments(tidePools)).toContainEqual(
      expect.objectContaining({
        table_name: 'observation',
        keys: [{ unique_columns: ['pool', 'date', 'species'] }],
        foreign_keys: expect.arrayContaining([
          {
            foreign_key_columns: [
              { schema_name: 'shore', table_name: 'observation', column_name: 'pool' },
              { schema_name: 'shore', table_name: 'observation', column_name: 'date' },
            ],
            referenced_columns: [
              { schema_name: 'shore', table_name: 'visit', column_name: 'pool' },
              { schema_name: 'shore', table_name: 'visit', column_name: 'date' },
            ],
          },
        ]),
      }),
    );
  });

  it('give the file table the columns that an export by reference needs', () => {
    const files = JSON.stringify(modelDocuments(tidePools).at(-1));
    for (const name of ['url', 'length', 'md5', 'sha256', 'filename']) expect(files).toContain(`"name":"${name}"`);
  });
});
