import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Call, insisting, Wrong } from './load-client.js';

/** Rows in each batch that is loaded. */
export const batchRows = 40;

/** Where the work is done. */
export interface Place {
  readonly catalog: string;
  readonly catalogId: string;
  readonly namespace: string;
}

const csv = { 'content-type': 'text/csv' };
const json = { 'content-type': 'application/json' };

/** Makes a catalog with a table, and a namespace. */
export async function prepare(call: Call): Promise<Place> {
  const created = await call('POST', '/data/catalog', [201]);
  const { id: catalogId } = z.object({ id: z.string() }).parse(JSON.parse(created.bytes.toString()));
  const catalog = `/data/catalog/${catalogId}`;
  const table = {
    schema_name: 'load',
    table_name: 'reading',
    column_definitions: ['batch', 'number'].map((name) => ({ name, type: 'int4', nullok: false })),
    keys: [{ unique_columns: ['batch', 'number'] }],
  };
  await call('POST', `${catalog}/schema`, [200, 201], {
    headers: json,
    body: JSON.stringify([{ schema_name: 'load' }, table]),
  });
  const namespace = `/objects/load-${catalogId}`;
  await call('PUT', namespace, [201], { headers: { 'content-type': 'application/x-objstore-namespace' } });
  return { catalog, catalogId, namespace };
}

/** Whole batches, and no rows but those: a read sees no half of a change. */
export async function read(call: Call, { catalog }: Place): Promise<void> {
  const path = `${catalog}/attributegroup/load:reading/batch;rows:=cnt(*)`;
  const { bytes } = await call('GET', path, [200], { headers: { accept: 'application/json' } });
  const rows = z.array(z.object({ batch: z.number(), rows: z.number() })).parse(JSON.parse(bytes.toString()));
  for (const { batch, rows: count } of rows)
    if (count !== batchRows) throw new Wrong(`batch ${batch} was read with ${count} rows`);
}

/** Loads a batch of rows. */
export async function write(call: Call, { catalog }: Place, batch: number): Promise<void> {
  const rows = Array.from({ length: batchRows }, (_, number) => `${batch},${number}\n`).join('');
  await call('POST', `${catalog}/entity/load:reading`, [200], { headers: csv, body: `batch,number\n${rows}` });
}

const bytesType = { 'content-type': 'application/octet-stream' };

/** Stores an object and reads it. Gives its path and hash. */
export async function putObject(call: Call, { namespace }: Place, turn: number): Promise<readonly [string, string]> {
  const body = randomBytes(60_000 + turn);
  const path = `${namespace}/object-${turn}`;
  await call('PUT', path, [201], { headers: bytesType, body });
  const { bytes } = await call('GET', path, [200]);
  if (!bytes.equals(body)) throw new Wrong(`${path} was read with other bytes than were stored`);
  return [path, sha256(body)];
}

const chunk = 100_000;
const chunks = 6;

/** A client that resumes: after a refusal or a broken connection it goes on with the same chunk. Gives path and hash. */
export async function uploadInChunks(
  call: Call,
  { namespace }: Place,
  turn: number,
  refused: (error: unknown) => void,
): Promise<readonly [string, string]> {
  const body = randomBytes(chunk * (chunks - 1) + 1 + turn);
  const path = `${namespace}/upload-${turn}`;
  const sizes = { 'chunk-length': chunk, 'content-length': body.byteLength };
  const made = await call('POST', `${path};upload`, [201], { headers: json, body: JSON.stringify(sizes) });
  const job = made.bytes.toString().trim();
  for (let index = 0; index < chunks; index += 1) {
    const part = body.subarray(index * chunk, (index + 1) * chunk);
    await insisting(() => call('PUT', `${job}/${index}`, [204], { headers: bytesType, body: part }), refused);
    await sleep(150);
  }
  await insisting(() => call('POST', job, [201]), refused);
  const { bytes } = await insisting(() => call('GET', path, [200]), refused);
  if (!bytes.equals(body)) throw new Wrong(`${path} was read with other bytes than were uploaded`);
  return [path, sha256(body)];
}

/** Hands an export over; gives the path of its job. */
export async function startExport(call: Call, url: string, { catalogId }: Place): Promise<string> {
  const query = { processor: 'csv', processor_params: { query_path: '/entity/load:reading', output_path: 'reading' } };
  const { headers } = await call('POST', '/export/file', [202], {
    headers: { ...json, prefer: 'respond-async' },
    body: JSON.stringify({ catalog: { host: url, catalog_id: catalogId, query_processors: [query] } }),
  });
  return new URL(String(headers.location)).pathname;
}

/** In hexadecimal digits. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
