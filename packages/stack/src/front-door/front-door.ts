import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { StackError, systemErrorCode } from '../stack-error.js';
import { proxyRequest } from './proxy-request.js';
import { findRoute, type HttpService, originForm, type Route } from './routes.js';

export type FrontDoor = {
  readonly port: number;
  /** From now on requests go to these ports, to several of one service in turn; before, everything is answered 503. */
  open(ports: Ports): void;
  /** No new connections and no new requests; those that run may end. */
  pause(): void;
  /** Cuts what is still open. */
  close(): Promise<void>;
};

/** Where the processes of each service listen on this machine. */
export type Ports = Readonly<Record<HttpService, number | readonly number[]>>;

/**
 * The one HTTP port of the stack. Listens at once, so that a taken port is known before anything is started.
 * Throws StackError when the port is in use or not allowed.
 */
export async function startFrontDoor(options: {
  readonly host: string;
  readonly port: number;
  readonly routes: readonly Route[];
}): Promise<FrontDoor> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 64 });
  let ports: Ports | null = null;
  let turn = 0;
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const target = originForm(request.url ?? '/');
    const route = findRoute(options.routes, target);
    if (route === undefined) {
      answerUnrouted(response, target, options.routes);
      return;
    }
    turn += 1;
    const port = ports === null ? undefined : portInTurn(ports[route.service], turn);
    if (port === undefined) {
      answer(response, 503, { code: 'unavailable', detail: 'The stack is starting or stopping.' });
      return;
    }
    proxyRequest(request, response, { port, agent, target }, () =>
      answer(response, 502, { code: 'upstream_failure', detail: `The ${route.service} service did not answer.` }),
    );
  };
  const server = createServer(
    // as large as the services' own limit; no time limit on a request as a whole: uploads may take hours
    { maxHeaderSize: 32 * 1024, requestTimeout: 0, headersTimeout: 60_000, keepAliveTimeout: 65_000 },
    handle,
  );
  // the service decides whether the client shall send its body
  server.on('checkContinue', handle);
  const port = await listen(server, options.port, options.host);
  return {
    port,
    open(servicePorts) {
      ports = servicePorts;
    },
    pause() {
      ports = null;
      server.close();
      server.closeIdleConnections();
    },
    async close() {
      const closed = new Promise((resolve) => (server.listening ? server.close(resolve) : resolve(undefined)));
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

function portInTurn(ports: number | readonly number[], turn: number): number | undefined {
  return typeof ports === 'number' ? ports : ports[turn % Math.max(1, ports.length)];
}

function answerUnrouted(response: ServerResponse, target: string, routes: readonly Route[]): void {
  const prefixes = Object.fromEntries(routes.map(({ prefix, service }) => [prefix, service]));
  if (target === '/') answer(response, 200, { name: 'Holdfast', prefixes });
  else answer(response, 404, { code: 'not_found', detail: 'No service answers at this path.', prefixes });
}

function answer(response: ServerResponse, status: number, document: object): void {
  const body = `${JSON.stringify(status < 400 ? document : { status, ...document })}\n`;
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, port, host)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has an address with a port.');
  return address.port;
}

function listenFailure(error: Error, port: number, host: string): Error {
  switch (systemErrorCode(error)) {
    case 'EADDRINUSE':
      return new StackError(`Port ${port} of ${host} is in use by another program. Choose another one with --port.`);
    case 'EACCES':
      return new StackError(`This user may not listen on port ${port}. Choose one above 1023 with --port.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StackError(`${host} is not an address of this machine. Choose another one with --host.`);
    default:
      return error;
  }
}
