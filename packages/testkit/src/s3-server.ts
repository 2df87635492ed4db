import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
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

/** Starts MinIO on a free port and a temporary directory. */
export async function startMinio(program: string): Promise<TestS3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-s3-'));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: 'holdfast-test', secretAccessKey: 'holdfast-test-secret' };
  const child = spawn(program, ['server', directory, '--quiet', '--address', `127.0.0.1:${port}`], {
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      MINIO_ROOT_USER: credentials.accessKeyId,
      MINIO_ROOT_PASSWORD: credentials.secretAccessKey,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
      MINIO_CI_CD: 'on',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => output.push(text.toString()));
  // a test run that is killed must not leave a server behind
  const endWithParent = (): void => void child.kill('SIGKILL');
  process.on('exit', endWithParent);
  const stop = async (): Promise<void> => {
    process.off('exit', endWithParent);
    await ended(child);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await answering(`${endpoint}/minio/health/ready`, child, output);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, region: 'us-east-1', ...credentials, stop };
}

async function answering(url: string, child: ChildProcess, output: readonly string[]): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    if (child.exitCode !== null) break;
    const ready = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`MinIO does not answer:\n${output.join('')}`);
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
