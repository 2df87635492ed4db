import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { infoValues, validateBag } from '@holdfast/bagit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, items, text } from './documents.js';
import { isTestable, openServer, type Server } from './server.js';
import type { ProfileName } from './wire.js';

/**
 * The smoke profile of the suite: a few requests to each part of a deployment (ways through the front door, databases, bytes, the queue and a
 * worker), for right after an installation or an upgrade. It is done in seconds, needs one user alone (`ACCEPTANCE_TOKEN`, who may create
 * catalogs and, at the root, namespaces), looks at nothing that others have made, and takes away what it made.
 */
const limit = 120_000;
const sample = [
  { pool: 'north', depth: 1.5 },
  { pool: 'south', depth: 2.25 },
];

describe.each<ProfileName>(['standard', 'deriva'])('smoke, %s profile', (profile) => {
  const test = isTestable(profile) ? it : it.skip;
  let opened: Server | undefined;
  let catalog = '';
  let namespace = '';
  const server = (): Server => {
    if (opened === undefined) throw new Error('The server did not start.');
    return opened;
  };
  beforeAll(async () => {
    if (isTestable(profile)) opened = await openServer(profile);
  }, limit);
  afterAll(() => opened?.close(), limit);

  test('every service answers, and knows who asks', async () => {
    const { client, wire } = server();
    expect((await client.call('GET', `${wire.catalog}/`, { as: null })).status).toBe(200);
    // neither the store nor the exports show anything to nobody; that they say so is their own answer, not the front door's
    for (const path of [`${wire.objects};acl`, `${wire.exports}/job/00000000-0000-4000-8000-000000000000`]) {
      const { status, headers } = await client.call('GET', path, { as: null });
      expect([401, 404]).toContain(status);
      expect(headers['x-request-id']).toMatch(/^\S{8,}$/);
    }
    const session = await client.call('GET', '/authn/session');
    expect(session.status).toBe(200);
    expect(text(at(session.json(), 'client', 'id'))).not.toBe('');
  });

  test('a catalog keeps rows, and its past', async () => {
    const { client, wire } = server();
    const created = await client.call('POST', `${wire.catalog}/catalog`);
    expect(created.status).toBe(201);
    catalog = `${wire.catalog}/catalog/${text(at(created.json(), 'id'))}`;
    const columns = [
      { name: 'pool', type: 'text', nullok: false },
      { name: 'depth', type: 'float8', nullok: true },
    ];
    const model = [
      { schema_name: 'smoke' },
      {
        schema_name: 'smoke',
        table_name: 'pool',
        column_definitions: columns,
        keys: [{ unique_columns: ['pool'] }],
      },
    ];
    expect((await client.call('POST', `${catalog}/schema`, { json: model })).status).toBe(201);
    const rows = `${catalog}/entity/smoke:pool`;
    const csv = `pool,depth\n${sample.map(({ pool, depth }) => `${pool},${depth}\n`).join('')}`;
    expect((await client.call('POST', rows, { csv })).status).toBe(200);
    const shown = `/attribute/smoke:pool/pool,depth@sort(pool)`;
    expect((await client.call('GET', `${catalog}${shown}`)).json()).toEqual(sample);
    const snapshot = text(at((await client.call('GET', catalog)).json(), 'snaptime'));
    expect((await client.call('DELETE', `${rows}/pool=north`)).status).toBe(204);
    expect((await client.call('GET', `${catalog}${shown}`)).json()).toEqual(sample.slice(1));
    expect((await client.call('GET', `${catalog}@${snapshot}${shown}`)).json()).toEqual(sample);
    expect((await client.call('GET', rows, { as: null })).status).toBe(401);
  });

  test('the object store keeps bytes, whole and in chunks', async () => {
    const { client, wire } = server();
    namespace = `${wire.objects}/smoke-${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`;
    const made = await client.call('PUT', namespace, { headers: { 'content-type': wire.namespaceTypes[0] ?? '' } });
    expect(made.status).toBe(201);
    const bytes = randomBytes(100_000);
    const headers = {
      'content-type': 'application/octet-stream',
      'content-md5': createHash('md5').update(bytes).digest('base64'),
    };
    expect((await client.call('PUT', `${namespace}/whole`, { body: bytes, headers })).status).toBe(201);
    const part = await client.call('GET', `${namespace}/whole`, { headers: { range: 'bytes=10-19' } });
    expect([part.status, part.bytes.equals(bytes.subarray(10, 20))]).toEqual([206, true]);
    const sizes = { 'chunk-length': 60_000, 'content-length': bytes.byteLength };
    const job = (await client.call('POST', `${namespace}/chunks;upload`, { json: sizes })).text.trim();
    for (const [index, body] of [bytes.subarray(0, 60_000), bytes.subarray(60_000)].entries()) {
      const type = { 'content-type': 'application/octet-stream' };
      expect((await client.call('PUT', `${job}/${index}`, { body, headers: type })).status).toBe(204);
    }
    expect((await client.call('POST', job)).status).toBe(201);
    expect((await client.call('GET', `${namespace}/chunks`)).bytes.equals(bytes)).toBe(true);
    expect(items((await client.call('GET', namespace)).json())).toHaveLength(2);
    expect((await client.call('GET', `${namespace}/whole`, { as: null })).status).toBe(401);
  });

  test(
    'a worker makes a valid bag',
    async () => {
      const { client, wire, scratch } = server();
      const query = (processor: string, query_path: string, output_path: string): object => ({
        processor,
        processor_params: { query_path, output_path },
      });
      const made = await client.call('POST', `${wire.exports}/bag`, {
        json: {
          bag: { bag_name: 'smoke', bag_archiver: 'zip', bag_metadata: { 'Contact-Name': 'Smoke' } },
          catalog: {
            host: client.url,
            catalog_id: catalog.split('/').at(-1),
            query_processors: [
              query('csv', '/entity/smoke:pool', 'pools'),
              query('json', '/aggregate/smoke:pool/rows:=cnt(*)', 'counts'),
            ],
          },
        },
      });
      expect({ status: made.status, text: made.text }).toMatchObject({ status: wire.exportSuccess });
      const path = join(scratch, 'smoke.zip');
      await writeFile(path, (await client.call('GET', new URL(made.text.trim()).pathname)).bytes);
      const report = await validateBag(path);
      expect(report).toMatchObject({ valid: true, errors: [], payload: { files: 2 } });
      expect(infoValues(report.info, 'Contact-Name')).toEqual(['Smoke']);
      const job = `${wire.exports}/job/${text(made.headers['x-export-id'])}`;
      expect((await client.call('DELETE', job)).status).toBeLessThan(300);
    },
    limit,
  );

  test('what was made is taken away', async () => {
    const { client } = server();
    for (const name of ['whole', 'chunks'])
      expect((await client.call('DELETE', `${namespace}/${name}`)).status).toBe(204);
    expect((await client.call('DELETE', namespace)).status).toBe(204);
    expect((await client.call('GET', namespace)).status).toBe(404);
    expect((await client.call('DELETE', catalog)).status).toBe(204);
    expect((await client.call('GET', catalog)).status).toBe(404);
  });
});
