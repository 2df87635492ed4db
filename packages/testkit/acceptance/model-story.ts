import { describe, expect, it } from '@jest/globals';
import { at, find, items, text } from './documents.js';
import { expectConflict, expectError } from './expect-error.js';
import type { Story } from './story.js';

const column = (name: string, type: unknown, nullok = false): object => ({ name, type, nullok });

const survey = [
  { schema_name: 'shore', comment: 'a survey of tide pools' },
  {
    schema_name: 'shore',
    table_name: 'observation',
    // before the tables it refers to: foreign keys wait for the end
    column_definitions: [
      column('pool', 'text'),
      column('date', 'date'),
      column('species', { typename: 'text' }),
      column('count', 'int4', true),
      column('remark', 'text', true),
    ],
    keys: [{ unique_columns: ['pool', 'date', 'species'] }],
    foreign_keys: [
      {
        foreign_key_columns: [{ column_name: 'pool' }, { column_name: 'date' }],
        referenced_columns: [
          { schema_name: 'shore', table_name: 'visit', column_name: 'pool' },
          { schema_name: 'shore', table_name: 'visit', column_name: 'date' },
        ],
      },
    ],
  },
  {
    schema_name: 'shore',
    table_name: 'visit',
    column_definitions: [
      column('pool', 'text'),
      column('date', 'date'),
      column('temperature', 'float8', true),
      column('surveyors', 'text[]', true),
    ],
    keys: [{ unique_columns: ['pool', 'date'] }],
  },
  {
    schema_name: 'shore',
    table_name: 'species',
    column_definitions: [column('species', 'text'), column('name', 'text'), column('kind', 'text')],
    keys: [{ unique_columns: ['species'] }],
  },
  {
    foreign_key_columns: [{ schema_name: 'shore', table_name: 'observation', column_name: 'species' }],
    referenced_columns: [{ schema_name: 'shore', table_name: 'species', column_name: 'species' }],
  },
  {
    schema_name: 'shore',
    table_name: 'picture',
    column_definitions: ['filename', 'url', 'md5', 'sha256']
      .map((name) => column(name, 'text'))
      .concat(column('length', 'int8')),
    keys: [{ unique_columns: ['url'] }],
  },
];

/** A catalog and its model. */
export function describeModel(story: () => Story): void {
  describe('a catalog', () => {
    it('is created by those who may, with a decimal id', async () => {
      const { client, wire } = story().server;
      const path = `${wire.catalog}/catalog`;
      expectError(await client.call('POST', path, { as: null }), wire, 401);
      expectError(await client.call('POST', path, { as: 'carol' }), wire, 403);
      // a client of the family declares a form and sends nothing
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const created = await client.call('POST', path, { headers });
      expect(created.status).toBe(201);
      expect(created.headers['content-type']).toBe('application/json');
      const id = text(at(created.json(), 'id'));
      expect(id).toMatch(/^[1-9]\d*$/);
      expect(created.headers.location).toBe(`${wire.catalog}/catalog/${id}`);
      Object.assign(story(), { catalogId: id, catalog: `${wire.catalog}/catalog/${id}` });
    });

    it('is seen by its owner alone', async () => {
      const { server, catalog, catalogId } = story();
      const { client, wire } = server;
      const seen = await client.call('GET', catalog);
      expect(seen.status).toBe(200);
      expect(seen.json()).toMatchObject({
        id: catalogId,
        snaptime: expect.stringMatching(/^[0-9A-Z]+(?:-[0-9A-Z]+)*$/),
        rights: { owner: true, create: true },
        acls: { owner: ['alice'], select: [] },
      });
      expectError(await client.call('GET', catalog, { as: 'carol' }), wire, 403);
      expectError(await client.call('GET', catalog, { as: null }), wire, 401);
    });
  });

  describe('the model', () => {
    it('is made in one request, foreign keys last', async () => {
      const { server, catalog } = story();
      const created = await server.client.call('POST', `${catalog}/schema`, { json: survey });
      expect(created.status).toBe(201);
      expect(created.headers['content-type']).toBe('application/json');
      const documents = items(created.json());
      expect(documents.map((document) => at(document, 'table_name') ?? at(document, 'schema_name'))).toEqual([
        'shore',
        'observation',
        'visit',
        'species',
        'picture',
      ]);
      const observation = documents[1];
      expect(items(at(observation, 'foreign_keys'))).toHaveLength(2);
      const composite = items(at(observation, 'foreign_keys')).find(
        (key) => items(at(key, 'foreign_key_columns')).length === 2,
      );
      expect(composite).toMatchObject({
        foreign_key_columns: [
          { schema_name: 'shore', table_name: 'observation', column_name: 'pool' },
          { schema_name: 'shore', table_name: 'observation', column_name: 'date' },
        ],
        referenced_columns: [
          { schema_name: 'shore', table_name: 'visit', column_name: 'pool' },
          { schema_name: 'shore', table_name: 'visit', column_name: 'date' },
        ],
      });
    });

    it('tells types in the form of the profile, system columns first', async () => {
      const { server, catalog } = story();
      const { client, wire } = server;
      const visit = (await client.call('GET', `${catalog}/schema/shore/table/visit`)).json();
      const columns = at(visit, 'column_definitions');
      expect(items(columns).map((one) => at(one, 'name'))).toEqual([
        ...['RID', 'RCT', 'RMT', 'RCB', 'RMB'],
        ...['pool', 'date', 'temperature', 'surveyors'],
      ]);
      expect(at(find(columns, 'name', 'pool'), 'type')).toEqual(wire.textColumn);
      expect(at(find(columns, 'name', 'surveyors'), 'type')).toEqual(wire.textArrayColumn);
      expect(at(find(columns, 'name', 'RID'), 'type')).toEqual(wire.ridColumn);
      expect(visit).toMatchObject({ RID: expect.any(String), kind: 'table', annotations: {}, acls: {} });
    });

    it('has the built-in tables of the profile, and an entity tag that answers 304', async () => {
      const { server, catalog } = story();
      const { client, wire } = server;
      const model = await client.call('GET', `${catalog}/schema`);
      expect(model.status).toBe(200);
      expect(Object.keys(Object(at(model.json(), 'schemas', 'public', 'tables'))).sort()).toEqual(
        expect.arrayContaining([...wire.builtinTables]),
      );
      const { etag = '' } = model.headers;
      expect(etag).toMatch(/^"[^"]+"$/);
      const again = await client.call('GET', `${catalog}/schema`, { headers: { 'if-none-match': etag } });
      expect([again.status, again.text]).toEqual([304, '']);
      const slash = await client.call('GET', `${catalog}/schema/`);
      expect(slash.status).toBe(200);
    });

    it('answers the creation of a table and of a key as the profile says', async () => {
      const { server, catalog } = story();
      const { client, wire } = server;
      const table = await client.call('POST', `${catalog}/schema/shore/table`, {
        json: { table_name: 'tide', column_definitions: [column('date', 'date'), column('low', 'time', true)] },
      });
      expect(table.status).toBe(wire.modelCreated);
      expect(table.json()).toMatchObject({ table_name: 'tide', schema_name: 'shore' });
      const key = await client.call('POST', `${catalog}/schema/shore/table/tide/key`, {
        json: { unique_columns: ['date'] },
      });
      expect(key.status).toBe(wire.modelCreated);
      const answer = key.json();
      expect(Array.isArray(answer)).toBe(wire.constraintAsArray);
      expect(wire.constraintAsArray ? at(answer, 0) : answer).toMatchObject({
        unique_columns: ['date'],
        names: [['shore', 'tide_date_key']],
      });
    });

    it('is changed as a whole or not at all', async () => {
      const { server, catalog } = story();
      const { client, wire } = server;
      const half = [
        { schema_name: 'half' },
        { schema_name: 'half', table_name: 't', column_definitions: [column('c', 'no_such_type')] },
      ];
      expectConflict(await client.call('POST', `${catalog}/schema`, { json: half }), wire, 'no_such_type');
      expectError(await client.call('GET', `${catalog}/schema/half`), wire, 404);
      expectConflict(await client.call('POST', `${catalog}/schema`, { json: survey }), wire, 'shore');
      expectError(await client.call('POST', `${catalog}/schema`, { json: {} }), wire, 400);
      expectError(await client.call('POST', `${catalog}/schema`, { json: survey, as: 'carol' }), wire, 403);
    });
  });
}
