import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A server that writes down what it is asked and answers what the test says. */
export interface RecordingServer {
  readonly origin: string;
  readonly seen: SeenRequest[];
  readonly connections: () => number;
  close(): Promise<void>;
}

/** Starts one. The answer function is given the body already read, unless `raw` is set. */
export async function recordingServer(
  answer: (request: IncomingMessage, response: ServerResponse, seen: SeenRequest) => void,
  options: { readonly raw?: boolean } = {},
): Promise<RecordingServer> {
  const seen: SeenRequest[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const body = options.raw === true ? '' : await textOf(request);
    if (body === null) return;
    const entry = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    seen.push(entry);
    answer(request, response, entry);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Null when the client broke off. */
async function textOf(request: IncomingMessage): Promise<string | null> {
  try {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    return text;
  } catch {
    return null;
  }
}
