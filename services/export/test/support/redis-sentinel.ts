import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { eventually } from './eventually.js';

/** A server and a sentinel that watches it, both with TLS of an authority of their own and with passwords. */
export interface WatchedRedis {
  readonly password: string;
  readonly sentinelPassword: string;
  /** `host:port` of the sentinel. */
  readonly sentinel: string;
  readonly group: string;
  readonly authorityFile: string;
  /** One command to the server, over TLS. */
  command(...words: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Starts both with the program of Redis or Valkey. */
export async function createWatchedRedis(program: string): Promise<WatchedRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-sentinel-'));
  const [port, sentinelPort] = [await freePort(), await freePort()];
  const password = 'p%40ss/word';
  const sentinelPassword = 'watch';
  makeCertificate(directory);
  const tls = `tls-cert-file ${directory}/server.pem\ntls-key-file ${directory}/key.pem\ntls-ca-cert-file ${directory}/server.pem\ntls-auth-clients no\n`;
  await writeFile(
    join(directory, 'server.conf'),
    `port 0\ntls-port ${port}\n${tls}dir ${directory}\nsave ""\nrequirepass ${password}\n`,
  );
  await writeFile(
    join(directory, 'sentinel.conf'),
    `port 0\ntls-port ${sentinelPort}\n${tls}tls-replication yes\ndir ${directory}\nrequirepass ${sentinelPassword}\n` +
      `sentinel monitor exports 127.0.0.1 ${port} 1\nsentinel auth-pass exports ${password}\n`,
  );
  const children = [
    spawn(program, [join(directory, 'server.conf')], { stdio: 'ignore' }),
    spawn(program, [join(directory, 'sentinel.conf'), '--sentinel'], { stdio: 'ignore' }),
  ];
  const authorityFile = join(directory, 'server.pem');
  await eventually(() =>
    Promise.all([
      ask(port, [['AUTH', password], ['PING']]),
      ask(sentinelPort, [['AUTH', sentinelPassword], ['PING']]),
    ]).then(
      (answers) => (answers.every((answer) => answer.includes('+PONG')) ? true : null),
      () => null,
    ),
  );
  return {
    password,
    sentinelPassword,
    sentinel: `localhost:${sentinelPort}`,
    group: 'exports',
    authorityFile,
    command: (...words) => ask(port, [['AUTH', password], words]),
    remove: async () => {
      await Promise.all(children.map(ended));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function makeCertificate(directory: string): void {
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', join(directory, 'key.pem'), '-out', join(directory, 'server.pem')],
    ],
    { stdio: 'ignore' },
  );
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** Sends commands over one connection; gives all answers as they came. */
function ask(port: number, commands: readonly (readonly string[])[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    let answers = '';
    socket.on('error', reject);
    socket.on('data', (data) => {
      answers += data.toString();
      if (answers.split('\r\n').length > commands.length) {
        socket.destroy();
        resolve(answers);
      }
    });
    for (const words of commands)
      socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`);
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The system gave no free port.');
  return address.port;
}
