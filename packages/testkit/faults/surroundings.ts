import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { temporaryDirectory } from '@holdfast/stack';
import { s3OfTestRun, startTestS3 } from '../src/s3-server.js';

/** Something the services need that a test can take away. */
export interface Dependency {
  /** Variables by which the services find it. */
  readonly environment: Readonly<Record<string, string>>;
  takeAway(): Promise<void>;
  bringBack(): Promise<void>;
  remove(): Promise<void>;
}

/** A Redis or Valkey that forgets everything when it is killed; null where neither is installed. */
export async function startQueueServer(): Promise<Dependency | null> {
  const program = ['valkey-server', 'redis-server'].find((one) => spawnSync(one, ['--version']).status === 0);
  if (program === undefined) return null;
  const port = await freePort();
  const directory = await temporaryDirectory('holdfast-queue-');
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const args = ['--port', `${port}`, '--dir', directory, '--save', '', '--appendonly', 'no'];
    child = spawn(program, args, { stdio: 'ignore' });
    await untilListening(port);
  };
  const end = async (): Promise<void> => {
    const last = child;
    child = null;
    if (last === null) return;
    const gone = new Promise((resolve) => last.once('exit', resolve));
    last.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    environment: { QUEUE_URL: `redis://127.0.0.1:${port}` },
    takeAway: end,
    bringBack: start,
    remove: async () => {
      await end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** An S3 server behind a way that can be cut; null where there is none. */
export async function startBlobServer(): Promise<Dependency | null> {
  if (s3OfTestRun() === null) return null;
  const server = await startTestS3();
  const way = await startWay(Number(new URL(server.endpoint).port));
  const bucket = `faults-${way.port}-${Date.now()}`;
  const credentials = { accessKeyId: server.accessKeyId, secretAccessKey: server.secretAccessKey };
  const client = new S3Client({ endpoint: server.endpoint, region: server.region, credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return {
    environment: {
      STORAGE_ADAPTER: 's3',
      S3_ENDPOINT: `http://127.0.0.1:${way.port}`,
      S3_REGION: server.region,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: server.accessKeyId,
      S3_SECRET_ACCESS_KEY: server.secretAccessKey,
    },
    takeAway: async () => way.cut(),
    bringBack: async () => way.restore(),
    remove: async () => {
      await way.close();
      await server.stop();
    },
  };
}

interface Way {
  readonly port: number;
  /** Breaks all connections; new ones are refused by being closed at once. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

async function startWay(target: number): Promise<Way> {
  const open = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (isCut) return void socket.destroy();
    const onward = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  const port = await listening(server);
  const cutAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port,
    cut: () => {
      isCut = true;
      cutAll();
    },
    restore: () => {
      isCut = false;
    },
    close: async () => {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no free port.');
  return address.port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilListening(port: number): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isThere) return;
  }
  throw new Error(`Nobody listens at port ${port}.`);
}
