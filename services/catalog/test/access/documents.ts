/** The schema of the worked examples of spec/catalog-access.md 13: D, whose rows may refer to rows of Cat. */
export function exampleSchema(): object {
  const column = (name: string, type: string, nullok = true) => ({ name, type, nullok });
  return {
    schemas: {
      S: {
        tables: {
          Cat: {
            column_definitions: [column('id', 'int4', false), column('ACL', 'text[]')],
            keys: [{ unique_columns: ['id'] }],
          },
          D: {
            column_definitions: [
              column('id', 'int4', false),
              column('name', 'text'),
              column('member', 'text'),
              column('c_id', 'int4'),
              column('val', 'int4'),
            ],
            keys: [{ unique_columns: ['id'] }],
            foreign_keys: [
              {
                names: [['S', 'd_c']],
                foreign_key_columns: [{ schema_name: 'S', table_name: 'D', column_name: 'c_id' }],
                referenced_columns: [{ schema_name: 'S', table_name: 'Cat', column_name: 'id' }],
              },
            ],
          },
        },
      },
    },
  };
}

/** Rows of Cat: open to everybody, to bob, to alice. */
export const exampleCategories: readonly object[] = [
  { id: 1, ACL: ['*'] },
  { id: 2, ACL: ['bob'] },
  { id: 3, ACL: ['alice'] },
];

/** Rows of D: 11 for everybody, 12 bob's, 13 carol's, 14 nobody's. */
export const exampleRows: readonly object[] = ['*', 'bob', 'carol', null].map((member, index) => ({
  id: 11 + index,
  name: 'n',
  member,
  c_id: null,
  val: index,
}));
