import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Answers one request; a rejection becomes a 500. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** A running server of a test. */
export interface FakeServer {
  readonly origin: string;
  close(): Promise<void>;
}

export async function startFakeServer(handler: Handler): Promise<FakeServer> {
  const server: Server = createServer((request, response) => {
    Promise.resolve()
      .then(() => handler(request, response))
      .catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else sendError(response, 500, 'internal', String(error));
      });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendError(response: ServerResponse, status: number, code: string, detail: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ status, title: 'No.', detail, code, request_id: 'r' }));
}

/** What a token says; nothing is verified. Null: anonymous. */
export function tokenOf(request: IncomingMessage): Readonly<Record<string, unknown>> | null {
  const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) return null;
  // development tokens are no JWTs
  if (!token.includes('.')) return { opaque: token };
  const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return typeof payload === 'object' && payload !== null ? Object.fromEntries(Object.entries(payload)) : {};
}
