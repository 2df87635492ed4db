/** The floors: what the same hashing, storage, statements and hops cost without a service around them. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import express from 'express';
import pg from 'pg';

const {
  FLOOR_DIRECTORY = '',
  DATABASE_URL = '',
  S3_ENDPOINT,
  S3_BUCKET,
  S3_ACCESS_KEY_ID = '',
  S3_SECRET_ACCESS_KEY = '',
} = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20, options: '-c timezone=UTC -c jit=off' });
const s3 =
  S3_ENDPOINT === undefined
    ? null
    : new S3Client({
        endpoint: S3_ENDPOINT,
        region: 'us-east-1',
        forcePathStyle: true,
        expectContinueHeader: false,
        credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
      });
const app = express();
app.disable('x-powered-by');

app.put('/file/:name', async (request, response) => {
  await storeFile(join(FLOOR_DIRECTORY, String(request.params.name)), request);
  response.status(201).end();
});
app.get('/file/:name', async (request, response) => {
  const path = join(FLOOR_DIRECTORY, String(request.params.name));
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.get('range') ?? '');
  if (range === null) response.setHeader('Content-Length', (await stat(path)).size);
  const part = range === null ? {} : { start: Number(range[1]), end: Number(range[2]) };
  await pipeline(createReadStream(path, part), response);
});
app.put('/s3/:name', async (request, response) => {
  const hashes = [createHash('md5'), createHash('sha256')];
  const body = Readable.from(hashed(request, hashes), { objectMode: false });
  const length = Number(request.get('content-length'));
  await s3?.send(
    new PutObjectCommand({
      Bucket: S3_BUCKET,
      Key: `floor/${request.params.name}`,
      Body: body,
      ContentLength: length,
      ChecksumAlgorithm: 'CRC32',
    }),
  );
  for (const hash of hashes) hash.digest();
  response.status(201).end();
});
app.get('/s3/:name', async (request, response) => {
  const range = request.get('range');
  const got = await s3?.send(
    new GetObjectCommand({
      Bucket: S3_BUCKET,
      Key: `floor/${request.params.name}`,
      ...(range === undefined ? {} : { Range: range }),
    }),
  );
  response.setHeader('Content-Length', got?.ContentLength ?? 0);
  await pipeline(got?.Body as unknown as Readable, response);
});
app.put('/small/:name', putSmall);
app.get('/small/:name', async (request, response) => sendSmall(request.params.name ?? '', response, true));
app.head('/small/:name', async (request, response) => sendSmall(request.params.name ?? '', response, false));
app.get('/rows', async (request, response) => {
  const { rows } = await pool.query({ text: String(request.query.statement), rowMode: 'array' });
  response.type('application/json').send(JSON.stringify(rows.map(([value]) => value)));
});

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ kind: 'listening', port: typeof address === 'object' ? address?.port : null });
});
process.on('disconnect', () => process.exit(0));

async function* hashed(source: AsyncIterable<Buffer>, hashes: readonly ReturnType<typeof createHash>[]) {
  for await (const chunk of source) {
    for (const hash of hashes) hash.update(chunk);
    yield chunk;
  }
}

async function storeFile(path: string, request: IncomingMessage): Promise<readonly Buffer[]> {
  const hashes = [createHash('md5'), createHash('sha256')];
  const temporary = `${path}.${randomUUID()}`;
  const stream = createWriteStream(temporary, { flags: 'wx', mode: 0o600, highWaterMark: 1024 * 1024 });
  await pipeline(hashed(request, hashes), stream);
  const file = await open(temporary, 'r+');
  await file.datasync();
  await file.close();
  await rename(temporary, path);
  const directory = await open(dirname(path), 'r');
  await directory.sync();
  await directory.close();
  return hashes.map((hash) => hash.digest());
}

/** The statements that a PUT of a new object and a GET make, as they stand in src/directory; only the checks are missing. */
const PLACE = `select n.id, n.ancestors::text[] as ancestors, n.path, n.kind, n.deleted_at is not null as deleted, n.acl_owner, n.acl_create,
  n.acl_read, n.acl_subtree_owner, n.acl_subtree_create, n.acl_subtree_update, n.acl_subtree_read, n.acl_update
  from os_name n where n.path = any($1) order by n.id`;
const CURRENT = `select v.id, v.name_id, v.version, v.bytes::float8 as bytes, v.content_type, v.disposition, v.md5, v.sha256, v.md5_declared,
  v.sha256_declared, b.key as blob_key, v.forward_to, v.renamed_from is not null as renamed, v.acl_owner, v.acl_read
  from os_version v left join os_blob b on b.id = v.blob_id where v.name_id = $1 and v.state = 'live' order by v.seq desc limit 1`;

async function putSmall(request: express.Request, response: express.Response): Promise<void> {
  const path = `/bench/${request.params.name}`;
  const paths = [['', '/bench', path]];
  const id = randomUUID();
  const key = `b/2026/01/${id.slice(0, 2)}/${id}`;
  await pool.query({ name: 'place', text: PLACE, values: paths });
  await pool.query(
    `insert into os_blob (id, adapter, key, state, lease_until) select $1::uuid, 'filesystem', $2, 'staged', now() + 600 * interval '1 second'
     from set_config('synchronous_commit', 'off', true)`,
    [id, key],
  );
  await mkdir(join(FLOOR_DIRECTORY, dirname(key)), { recursive: true });
  const [md5, sha256] = await storeFile(join(FLOOR_DIRECTORY, key), request);
  const bytes = Number(request.get('content-length'));
  const client = await pool.connect();
  try {
    await client.query('begin isolation level read committed');
    const { rows } = await client.query({ name: 'place', text: PLACE, values: paths });
    const parent = rows.at(-1);
    await client.query('select from os_name where id = $1 for key share', [parent.id]);
    await client.query({ name: 'place', text: PLACE, values: paths });
    const made = await client.query(
      `insert into os_name as n (parent_id, ancestors, path, kind, created_by, acl_owner) values ($1, $2, $3, 'object', 'alice', $4)
       on conflict (path) do nothing returning n.id`,
      [parent.id, [...parent.ancestors, parent.id], path, ['alice']],
    );
    await client.query(
      `update os_blob set state = 'live', lease_until = null, bytes = $2, md5 = $3, sha256 = $4 where id = $1 and state = 'staged'`,
      [id, bytes, md5, sha256],
    );
    await client.query(
      `insert into os_version (name_id, seq, version, state, bytes, md5, sha256, md5_declared, sha256_declared, blob_id, acl_owner, acl_read, created_by)
       select $1, coalesce(max(seq), 0) + 1, $2, 'live', $3, $4, $5, false, false, $6, $7, '{}', 'alice' from os_version where name_id = $1`,
      [made.rows[0].id, id, bytes, md5, sha256, id, ['alice']],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
  response.status(201).end();
}

async function sendSmall(name: string, response: express.Response, body: boolean): Promise<void> {
  const client = await pool.connect();
  let version: { readonly blob_key: string; readonly bytes: number };
  try {
    const { rows } = await client.query({ name: 'place', text: PLACE, values: [['', '/bench', `/bench/${name}`]] });
    const current = await client.query({ name: 'current', text: CURRENT, values: [rows.at(-1).id] });
    version = current.rows[0];
  } finally {
    client.release();
  }
  response.setHeader('Content-Length', version.bytes);
  if (!body) response.end();
  else await sendFile(join(FLOOR_DIRECTORY, version.blob_key), response);
}

async function sendFile(path: string, response: ServerResponse): Promise<void> {
  await pipeline(createReadStream(path), response);
}
