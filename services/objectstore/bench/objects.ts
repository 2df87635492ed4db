/**
 * `pnpm bench objects`: content in and out, small objects, ranges, chunks and listings, each against a floor of the same run. Prints ratios; issue 7
 * says how large they may be. Give words of the titles to run only some; BENCH_MIB sets the size of the large object.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { startEmbeddedPostgres, temporaryDirectory } from '@holdfast/stack';
import {
  type Candidate,
  measure,
  prepareS3Binary,
  report,
  startMinio,
  type TestS3Server,
  watchMemory,
} from '@holdfast/testkit';
import pg from 'pg';

const MIB = 1024 * 1024;
const LARGE_MIB = Number(process.env.BENCH_MIB ?? 1024);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SMALL = Number(process.env.BENCH_SMALL ?? 400);
const chosen = process.argv.slice(2).map((word) => word.toLowerCase());
const directory = await temporaryDirectory('holdfast-bench-');
const postgres = await startEmbeddedPostgres({ dataDir: join(directory, 'postgres') });
const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
const children: ChildProcess[] = [];
const piece = Buffer.alloc(MIB, 'holdfast');
const held: { s3?: TestS3Server } = {};
let allKept = true;
let serial = 0;
const names = new Map<string, number>();

try {
  await run();
} finally {
  for (const child of children) child.kill('SIGTERM');
  agent.destroy();
  await held.s3?.stop();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
process.exitCode = allKept ? 0 : 1;

interface Server {
  readonly port: number;
  readonly pid: number | undefined;
}

async function run(): Promise<void> {
  const identity = await createDatabase('identity');
  const url = await createDatabase('objects');
  const common = {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'warn',
    NODE_NO_WARNINGS: '1',
    IDENTITY_DATABASE_URL: identity,
    AUTH_MODE: 'dev',
    DEV_TOKENS: JSON.stringify([{ token: 'alice-token', client: { id: 'alice' } }]),
    ROOT_ACLS: '{"owner": ["alice"], "subtree-owner": ["alice"]}',
  };
  const files = join(directory, 'files');
  await mkdir(join(directory, 'floor'));
  const service = await start('../src/main.js', { ...common, DATABASE_URL: url, STORAGE_ROOT: files });
  const s3Environment = await startS3();
  const floor = await start('./floor-server.js', {
    FLOOR_DIRECTORY: join(directory, 'floor'),
    DATABASE_URL: url,
    NODE_NO_WARNINGS: '1',
    ...s3Environment,
  });
  for (const name of ['bench', 'many', 'most']) await makeNamespace(service.port, `/objects/${name}`);
  await send(service.port, 'PUT', '/objects/warm', MIB);
  await large('a directory', service, floor, 'file');
  if (s3Environment !== null) {
    const onS3 = await start('../src/main.js', {
      ...common,
      DATABASE_URL: await createDatabase('objects_s3'),
      STORAGE_ADAPTER: 's3',
      ...s3Environment,
    });
    await makeNamespace(onS3.port, '/objects/bench');
    await send(onS3.port, 'PUT', '/objects/warm', MIB);
    await large('S3', onS3, floor, 's3');
  } else process.stdout.write('NO S3 SERVER: nothing measured on S3\n');
  await small(service, floor);
  await listings(service, floor, url);
}

/** One large object, many of 10 MiB, ranges, chunks. */
async function large(where: string, service: Server, floor: Server, route: 'file' | 's3'): Promise<void> {
  // what is not asked for is not prepared either
  const other = where === 'S3' ? 'directory' : 's3';
  if (chosen.some((word) => word.includes(other))) return;
  names.clear();
  const bytes = LARGE_MIB * MIB;
  const floorName = (): string => `/${route}/x${serial++ % 4}`;
  await compare(`PUT of ${LARGE_MIB} MiB on ${where}`, 1.2, service, [
    { name: 'bare Node, same hashing and storage', run: () => send(floor.port, 'PUT', floorName(), bytes) },
    {
      name: 'PUT',
      prepare: () => remove(service, 'large'),
      run: () => send(service.port, 'PUT', current('large'), bytes),
    },
  ]);
  await send(service.port, 'PUT', '/objects/read', bytes);
  await send(floor.port, 'PUT', `/${route}/read`, bytes);
  await compare(`GET of ${LARGE_MIB} MiB on ${where}`, 1.2, service, [
    { name: 'bare Node', run: () => drain(floor.port, `/${route}/read`) },
    { name: 'GET', run: () => drain(service.port, '/objects/read') },
  ]);
  const range = { Range: `bytes=${bytes / 2}-${bytes / 2 + 65_535}` };
  await compare(`200 ranges of 64 KiB on ${where}`, Number.POSITIVE_INFINITY, service, [
    { name: 'bare Node', run: () => repeat(1, 200, () => drain(floor.port, `/${route}/read`, range)) },
    { name: 'GET with Range', run: () => repeat(1, 200, () => drain(service.port, '/objects/read', range)) },
  ]);
  await send(service.port, 'PUT', '/objects/ten', 10 * MIB);
  await send(floor.port, 'PUT', `/${route}/ten`, 10 * MIB);
  for (const clients of [1, 8]) {
    const each = Math.ceil(100 / clients);
    await compare(`PUT of ${each * clients} x 10 MiB on ${where}, ${clients} client(s)`, 1.2, service, [
      { name: 'bare Node', run: () => repeat(clients, each, () => send(floor.port, 'PUT', floorName(), 10 * MIB)) },
      { name: 'PUT', run: () => repeat(clients, each, () => send(service.port, 'PUT', fresh(), 10 * MIB)) },
    ]);
    await compare(`GET of ${each * clients} x 10 MiB on ${where}, ${clients} client(s)`, 1.2, service, [
      { name: 'bare Node', run: () => repeat(clients, each, () => drain(floor.port, `/${route}/ten`)) },
      { name: 'GET', run: () => repeat(clients, each, () => drain(service.port, '/objects/ten')) },
    ]);
  }
  await compare(`${LARGE_MIB} MiB in chunks of 16 MiB, 4 at once, on ${where}`, Number.POSITIVE_INFINITY, service, [
    { name: 'bare Node, one PUT', run: () => send(floor.port, 'PUT', floorName(), bytes) },
    { name: 'upload job', run: () => chunked(service, bytes) },
  ]);
}

/** Objects of 1 KiB: the floor makes the same statements and the same file, so 0.6 of its requests per second is a ratio of 1.66. */
async function small(service: Server, floor: Server): Promise<void> {
  const made: string[] = [];
  for (let index = 0; index < 100; index += 1) {
    made.push(`r${index}`);
    await send(service.port, 'PUT', `/objects/bench/r${index}`, 1024);
    await send(floor.port, 'PUT', `/small/f${index}`, 1024);
  }
  for (const clients of [1, 8]) {
    const each = Math.ceil(SMALL / clients);
    const rounds = (run: () => Promise<unknown>) => () => repeat(clients, each, run);
    await compare(`PUT of 1 KiB, ${clients} client(s), ${each * clients} in all`, 1.66, service, [
      {
        name: 'same statements, same file, bare Express',
        run: rounds(() => send(floor.port, 'PUT', `/small/p${serial++}`, 1024)),
      },
      { name: 'PUT', run: rounds(() => send(service.port, 'PUT', `/objects/bench/q${serial++}`, 1024)) },
    ]);
    for (const method of ['GET', 'HEAD'])
      await compare(`${method} of 1 KiB, ${clients} client(s), ${each * clients} in all`, 1.66, service, [
        {
          name: 'same statements, same file, bare Express',
          run: rounds(() => drain(floor.port, `/small/f${serial++ % 100}`, {}, method)),
        },
        { name: method, run: rounds(() => drain(service.port, `/objects/bench/r${serial++ % 100}`, {}, method)) },
      ]);
  }
}

async function listings(service: Server, floor: Server, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const [namespace, children] of [
    ['many', 10_000],
    ['most', 100_000],
  ] as const)
    await client.query(`insert into os_name (parent_id, ancestors, path, kind, acl_owner)
      select n.id, n.ancestors || n.id, n.path || '/object-' || lpad(i::text, 6, '0'), 'object', '{alice}'
      from os_name n, generate_series(1, ${children}) i where n.path = '/${namespace}'`);
  await client.query(`insert into os_name (parent_id, ancestors, path, kind, acl_owner)
    select n.id, n.ancestors || n.id, '/versions', 'object', '{alice}' from os_name n where n.path = ''`);
  await client.query(`with made as (insert into os_blob (id, adapter, key, state, bytes)
      select gen_random_uuid(), 'filesystem', 'none-' || i, 'live', 0 from generate_series(1, 1000) i returning id)
    insert into os_version (name_id, seq, version, state, bytes, md5_declared, sha256_declared, blob_id, acl_owner, acl_read)
    select n.id, row_number() over (), 'V' || row_number() over (), 'live', 0, false, false, made.id, '{alice}', '{}' from os_name n, made where n.path = '/versions'`);
  await client.query('analyze');
  await client.end();
  const statement = (text: string): string => `/rows?statement=${encodeURIComponent(text)}`;
  const children = (namespace: string): string =>
    statement(
      `select '/objects' || c.path from os_name c join os_name n on n.id = c.parent_id where n.path = '/${namespace}' and c.deleted_at is null order by c.path`,
    );
  const versions = statement(
    `select '/objects/versions:' || v.version from os_version v join os_name n on n.id = v.name_id where n.path = '/versions' and v.state = 'live' order by v.seq desc`,
  );
  await compare('10 listings of 10,000 children', Number.POSITIVE_INFINITY, service, [
    {
      name: 'the SQL behind a bare Express route',
      run: () => repeat(1, 10, () => drain(floor.port, children('many'))),
    },
    { name: 'GET of the namespace', run: () => repeat(1, 10, () => drain(service.port, '/objects/many')) },
  ]);
  await compare('3 listings of 100,000 children', Number.POSITIVE_INFINITY, service, [
    { name: 'the SQL behind a bare Express route', run: () => repeat(1, 3, () => drain(floor.port, children('most'))) },
    { name: 'GET of the namespace', run: () => repeat(1, 3, () => drain(service.port, '/objects/most')) },
  ]);
  await compare('20 lists of 1,000 versions', Number.POSITIVE_INFINITY, service, [
    { name: 'the SQL behind a bare Express route', run: () => repeat(1, 20, () => drain(floor.port, versions)) },
    { name: 'GET ;versions', run: () => repeat(1, 20, () => drain(service.port, '/objects/versions;versions')) },
  ]);
}

async function compare(title: string, limit: number, service: Server, candidates: readonly Candidate[]): Promise<void> {
  if (chosen.length > 0 && !chosen.every((word) => title.toLowerCase().includes(word))) return;
  const memory = watchMemory(service.pid);
  allKept = report(title, await measure(candidates, ROUNDS), limit) && allKept;
  const growth = memory.growth();
  if (growth === null) return;
  if (growth >= 64) allKept = false;
  process.stdout.write(`  memory of the service: + ${growth} MB${growth >= 64 ? ' (less than 64: MISSED)' : ''}\n`);
}

function fresh(): string {
  serial += 1;
  return `/objects/bench/o${serial}`;
}

function current(name: string): string {
  return `/objects/${name}-${names.get(name) ?? 0}`;
}

/** Deleted names are never used again: the next one has a number of its own. */
async function remove(service: Server, name: string): Promise<void> {
  if (names.has(name)) await drain(service.port, current(name), {}, 'DELETE');
  names.set(name, (names.get(name) ?? 0) + 1);
}

async function chunked(service: Server, bytes: number): Promise<void> {
  const chunk = 16 * MIB;
  const target = fresh();
  const document = Buffer.from(JSON.stringify({ 'chunk-length': chunk, 'content-length': bytes }));
  const job = await send(service.port, 'POST', `${target};upload`, document);
  const numbers = Array.from({ length: Math.ceil(bytes / chunk) }, (_, number) => number).values();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const number of numbers)
        await send(service.port, 'PUT', `${job}/${number}`, Math.min(chunk, bytes - number * chunk));
    }),
  );
  await send(service.port, 'POST', job, Buffer.from('{}'));
}

/** Sends so many bytes, or a document. @returns `Location` of the answer */
async function send(port: number, method: string, path: string, body: number | Buffer): Promise<string> {
  const length = typeof body === 'number' ? body : body.byteLength;
  const type = typeof body === 'number' ? 'application/octet-stream' : 'application/json';
  const request = http.request({
    ...{ host: '127.0.0.1', port, method, path, agent },
    headers: { Authorization: 'Bearer alice-token', 'Content-Type': type, 'Content-Length': length },
  });
  const answer = once(request, 'response');
  answer.catch(() => undefined);
  // a server that refuses answers before the body is over, and closes
  request.on('error', () => undefined);
  if (typeof body !== 'number') request.write(body);
  else
    for (let left = body; left > 0; left -= MIB) {
      if (!request.write(left < MIB ? piece.subarray(0, left) : piece))
        await Promise.race([once(request, 'drain'), answer]);
    }
  request.end();
  const [response]: [http.IncomingMessage] = (await answer) as [http.IncomingMessage];
  return finished(response, `${method} ${path}`);
}

async function makeNamespace(port: number, path: string): Promise<void> {
  await drain(port, path, { 'Content-Type': 'application/x-objstore-namespace' }, 'PUT');
}

async function drain(port: number, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<void> {
  const request = http.request({
    ...{ host: '127.0.0.1', port, method, path, agent },
    headers: { Authorization: 'Bearer alice-token', ...headers },
  });
  request.end();
  const [response]: [http.IncomingMessage] = (await once(request, 'response')) as [http.IncomingMessage];
  await finished(response, `${method} ${path}`);
}

async function finished(response: http.IncomingMessage, what: string): Promise<string> {
  response.resume();
  await once(response, 'end');
  const { statusCode: status = 0, headers } = response;
  if (status >= 300) throw new Error(`${what} was answered with ${status}`);
  return headers.location ?? '';
}

async function repeat(clients: number, each: number, work: () => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let count = 0; count < each; count += 1) await work();
    }),
  );
}

async function createDatabase(name: string): Promise<string> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}

async function startS3(): Promise<Record<string, string> | null> {
  const binary = await prepareS3Binary();
  if (binary.kind === 'none') return null;
  const s3 = await startMinio(binary.path);
  held.s3 = s3;
  const { endpoint, region, accessKeyId, secretAccessKey } = s3;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  await client.send(new CreateBucketCommand({ Bucket: 'bench' }));
  client.destroy();
  return {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: 'bench',
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

async function start(program: string, environment: Record<string, string>): Promise<Server> {
  const child = fork(new URL(program, import.meta.url), { env: { ...process.env, ...environment }, execArgv: [] });
  children.push(child);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  return { port, pid: child.pid };
}
