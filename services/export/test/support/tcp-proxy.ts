import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a database that a test can cut. */
export interface TcpProxy {
  /** The URL with the proxy's host and port. */
  readonly url: string;
  /** Connections tried so far, while it was cut too. */
  attempts(): number;
  /** Breaks what is open; new connections are closed at once. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let isCut = false;
  let attempts = 0;
  const server: Server = createServer((socket) => {
    attempts += 1;
    if (isCut) return void socket.destroy();
    const onward = connect(Number(target.port), target.hostname);
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
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    attempts: () => attempts,
    cut,
    restore: () => {
      isCut = false;
    },
    close: () => {
      cut();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
