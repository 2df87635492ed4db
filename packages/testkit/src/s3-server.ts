import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How an S3 server is reached. */
export type S3Access = {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

/** A real S3 server for tests. */
export type TestS3Server = S3Access & {
  /** Ends the server and deletes its files, if it was started for the test. */
  stop(): Promise<void>;
};

/**
 * Whether this test run has an S3 server: what `S3_ENDPOINT`, `S3_ACCESS_KEY_ID`, `S3_SECRET_ACCESS_KEY` and `S3_REGION` name, or the program
 * that the global set-up found or built. Null: tests that need one are to be skipped; the set-up has said so.
 */
export function s3OfTestRun(): 'endpoint' | 'program' | null {
  if (process.env.S3_ENDPOINT) return 'endpoint';
  return process.env.HOLDFAST_TEST_MINIO ? 'program' : null;
}

/**
 * Starts an S3 server of its own for a test file, or gives the one that the environment names.
 * @throws when there is none, see {@link s3OfTestRun}, or it does not answer within 30 seconds
 */
export async function startTestS3(): Promise<TestS3Server> {
  const { S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, HOLDFAST_TEST_MINIO } = process.env;
  if (S3_ENDPOINT)
    return {
      endpoint: S3_ENDPOINT,
      region: S3_REGION || 'us-east-1',
      accessKeyId: S3_ACCESS_KEY_ID || '',
      secretAccessKey: S3_SECRET_ACCESS_KEY || '',
      stop: async () => undefined,
    };
  if (!HOLDFAST_TEST_MINIO)
    throw new Error('There is no S3 server: set S3_ENDPOINT, or install Go so that one can be built.');
  return startMinio(HOLDFAST_TEST_MINIO);
}

/** What a MinIO is started with beside the usual. */
export interface MinioOptions {
  /** Certificate and key, as PEM: the server speaks TLS only. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Whether it has a key to encrypt objects with. */
  readonly encryption?: boolean;
}

/** Starts MinIO on a free port and a temporary directory. */
export async function startMinio(
  program: string,
  { tls, encryption = false }: MinioOptions = {},
): Promise<TestS3Server> {
  const root = await mkdtemp(join(tmpdir(), 'holdfast-s3-'));
  const directory = join(root, 'data');
  const certificates = join(root, 'certificates');
  for (const path of [directory, certificates]) await mkdir(path);
  if (tls !== undefined) {
    await writeFile(join(certificates, 'public.crt'), tls.certificate);
    await writeFile(join(certificates, 'private.key'), tls.key, { mode: 0o600 });
  }
  const port = await freePort();
  const endpoint = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const credentials = { accessKeyId: 'holdfast-test', secretAccessKey: 'holdfast-test-secret' };
  const child = spawn(
    program,
    ['server', directory, '--quiet', '--address', `127.0.0.1:${port}`, '--certs-dir', certificates],
    {
      env: {
        PATH: process.env.PATH,
        HOME: directory,
        MINIO_ROOT_USER: credentials.accessKeyId,
        MINIO_ROOT_PASSWORD: credentials.secretAccessKey,
        MINIO_BROWSER: 'off',
        MINIO_UPDATE: 'off',
        MINIO_CI_CD: 'on',
        ...(encryption ? { MINIO_KMS_SECRET_KEY: `tests:${randomBytes(32).toString('base64')}` } : {}),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => output.push(text.toString()));
  // a test run that is killed must not leave a server behind
  const endWithParent = (): void => void child.kill('SIGKILL');
  process.on('exit', endWithParent);
  const stop = async (): Promise<void> => {
    process.off('exit', endWithParent);
    await ended(child);
    await rm(root, { recursive: true, force: true });
  };
  try {
    await answering(new URL('/a-bucket/of-nobody', endpoint), tls?.certificate, child, output);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, region: 'us-east-1', ...credentials, stop };
}

async function answering(
  url: URL,
  ca: string | undefined,
  child: ChildProcess,
  output: readonly string[],
): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    if (child.exitCode !== null) break;
    if (await isReady(url, ca)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`MinIO does not answer:\n${output.join('')}`);
}

/** Its health resource says yes before it knows its users: only a request it refuses for its reason shows that it is at work. */
function isReady(url: URL, ca: string | undefined): Promise<boolean> {
  const get = ca === undefined ? http.get : https.get;
  return new Promise((resolve) => {
    get(url, ca === undefined ? {} : { ca }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 403);
    }).on('error', () => resolve(false));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The system gave no free port.');
  return address.port;
}
