import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger, parseEnvironment } from '@holdfast/http-kit';
import { type Database, openDatabase, sql } from '@holdfast/pg-kit';
import { createTestDatabase } from '@holdfast/testkit';
import type { BlobStore } from '../src/blobs/blob-store.js';
import { objectStoreVariables } from '../src/configuration.js';
import { sweep } from '../src/maintenance/sweeper.js';
import { type BlobFault, verifyBlobs } from '../src/maintenance/verify-blobs.js';
import { openStore } from '../src/open-store.js';
import { type HttpClient, httpClient } from './http-client.js';
import { openTestBucket } from './s3-bucket.js';

const PROGRAM = fileURLToPath(new URL('./crash-program.js', import.meta.url));
const OWN_CONNECTIONS = 'test';
const never = new AbortController().signal;

/** The service as processes that are killed and started again on the same database and bytes. */
export interface CrashingService {
  /** A running process; started when there is none. */
  http(): Promise<HttpClient>;
  /** Lets the running process die at the n-th event of this pattern. */
  arm(pattern: string, occurrence: number): Promise<void>;
  /** Starts a process that dies at an event of its start. */
  startAndDie(pattern: string): Promise<void>;
  /** Resolves when the process has died. */
  died(): Promise<void>;
  kill(): Promise<void>;
  /** What the sweeper of a later process does, when all leases of the dead one are over. */
  repair(): Promise<void>;
  /** What is wrong: versions without their exact bytes, bytes without a version, rows that lead nowhere. */
  faults(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openCrashingService(adapter: 'filesystem' | 's3'): Promise<CrashingService> {
  const testDatabase = await createTestDatabase('objectstore');
  const identityDatabase = await createTestDatabase('identity');
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-crash-'));
  const bucket = adapter === 's3' ? await openTestBucket() : null;
  const environment = {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'silent',
    NODE_NO_WARNINGS: '1',
    DATABASE_URL: testDatabase.url,
    IDENTITY_DATABASE_URL: identityDatabase.url,
    STORAGE_ROOT: directory,
    ...bucket?.environment,
    AUTH_MODE: 'dev',
    DEV_TOKENS: JSON.stringify([{ token: 'alice', client: { id: 'alice' } }]),
    ROOT_ACLS: '{"owner": ["alice"], "subtree-owner": ["alice"]}',
    GC_GRACE_SECONDS: '0',
    // every kill may leave a job open
    UPLOAD_MAX_JOBS_PER_OBJECT: '10000',
    UPLOAD_MAX_JOBS_PER_CLIENT: '10000',
  };
  const store = await openStore(parseEnvironment(objectStoreVariables, environment));
  const database = openDatabase({ url: testDatabase.url, applicationName: OWN_CONNECTIONS, maxConnections: 4 });
  let running: { readonly child: ChildProcess; readonly http: HttpClient; readonly dead: Promise<void> } | null = null;
  const launch = (more: Readonly<Record<string, string>>) => {
    const child = fork(PROGRAM, {
      env: { ...environment, ...more },
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    return { child, dead: new Promise<void>((resolve) => child.once('exit', () => resolve())) };
  };
  const http = async (): Promise<HttpClient> => {
    if (running !== null) return running.http;
    const { child, dead } = launch({});
    const port = await new Promise<number>((resolve, reject) => {
      child.once('message', (message) => resolve((message as { port: number }).port));
      child.once('exit', (code) => reject(new Error(`The service ended with ${code}.`)));
    });
    running = { child, http: httpClient(port), dead };
    return running.http;
  };
  const died = async (): Promise<void> => {
    await running?.dead;
    running = null;
  };
  const kill = async (): Promise<void> => {
    running?.child.kill('SIGKILL');
    await died();
    await lastWordsOver(database);
  };
  return {
    http,
    arm: async (pattern, occurrence) => {
      await http();
      const { child } = running ?? {};
      const armed = new Promise((resolve) => child?.once('message', resolve));
      child?.send({ pattern, occurrence });
      await armed;
    },
    startAndDie: async (pattern) => {
      await kill();
      await launch({ CRASH_AT: pattern }).dead;
    },
    died,
    kill,
    repair: () => repair(database, store),
    faults: () => faultsIn(database, store),
    close: async () => {
      await kill();
      store.close();
      await database.close();
      await testDatabase.drop();
      await identityDatabase.drop();
      await bucket?.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL goes on with what it was sent before the process died, and commits it perhaps. */
async function lastWordsOver(database: Database): Promise<void> {
  const others = () =>
    database.withConnection(null, (connection) =>
      connection.query(sql`select from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and application_name <> ${OWN_CONNECTIONS}`),
    );
  while ((await others()).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function repair(database: Database, store: BlobStore): Promise<void> {
  await database.withConnection(null, async (connection) => {
    await connection.execute(sql`update os_blob set lease_until = now() - interval '1 second'
      where state = 'staged' and lease_until < 'infinity'`);
    await connection.execute(
      sql`update os_job set lease_until = now() - interval '1 second' where state = 'finalizing'`,
    );
    await connection.execute(sql`update os_part_lease set lease_until = now() - interval '1 second'`);
  });
  const log = createLogger({ service: 'test', level: 'silent' });
  const jobAges = { idleHours: 100, maxAgeHours: 100 };
  // a process that was killed may hold the lock of sweepers until PostgreSQL notices
  while (!(await sweep({ database, store, log, graceSeconds: 0, jobAges }, never)).leader)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

async function faultsIn(database: Database, store: BlobStore): Promise<readonly string[]> {
  const found: BlobFault[] = [];
  await verifyBlobs(database, store, { fault: (fault) => found.push(fault), progress: () => undefined }, never);
  const rows = await database.withConnection(null, (connection) =>
    connection.query<{ id: string; state: string }>(sql`select id, state from os_blob b
      where not exists (select from os_version v where v.blob_id = b.id and v.state = 'live')
        and not exists (select from os_chunk c where c.blob_id = b.id)
        and not exists (select from os_job j where j.blob_id = b.id)`),
  );
  return [
    ...found.map(({ kind, detail }) => `${kind}: ${detail}`),
    ...rows.map(({ id, state }) => `a ${state} blob that nobody has: ${id}`),
  ];
}
