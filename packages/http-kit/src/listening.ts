import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts to listen.
 * @param port 0 for any free port
 * @returns the port in use
 * @throws with a sentence that names the port when it is taken
 */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port} of ${host} is in use by another process.`, { cause: error })
          : error,
      );
    });
    server.listen(port, host, () => {
      const address: AddressInfo | string | null = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}

/**
 * Stops a server in phases: no new connections, then time for running requests, then the rest is cut.
 * @param drainMilliseconds how long running requests may take
 * @param giveUp called when that time is over, before connections are cut
 */
export async function closeServer(server: Server, drainMilliseconds: number, giveUp: () => void): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    giveUp();
    server.closeAllConnections();
  }, drainMilliseconds);
  // connections that turn idle while we wait
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await closed;
  clearTimeout(timer);
  clearInterval(idle);
}
