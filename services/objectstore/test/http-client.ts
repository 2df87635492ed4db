import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

/** An answer, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
  /** `code` of an error document. */
  readonly code: string | null;
}

export interface RequestOptions {
  /** Client id; anonymous when left out. */
  readonly as?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer | undefined;
}

/** Sends targets exactly as written, which most clients do not. */
export interface HttpClient {
  readonly port: number;
  (method: string, target: string, options?: RequestOptions): Promise<Answer>;
}

export function httpClient(port: number): HttpClient {
  const send = (method: string, target: string, options: RequestOptions = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { as, headers = {}, body } = options;
      const hasLength = 'Content-Length' in headers || 'Transfer-Encoding' in headers;
      const sent = httpRequest(
        {
          host: '127.0.0.1',
          port,
          method,
          path: target,
          agent: false,
          headers: {
            ...(as === undefined ? {} : { Authorization: `Bearer ${as}` }),
            ...(body === undefined || hasLength ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const bytes = Buffer.concat(chunks);
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: bytes.toString(),
              bytes,
              code: codeIn(bytes.toString()),
            });
          });
        },
      );
      sent.on('error', reject);
      if (headers['Content-Length'] !== undefined && body === undefined) sent.flushHeaders();
      else sent.end(body);
    });
  return Object.assign(send, { port });
}

function codeIn(text: string): string | null {
  const found = /^\{.*"code":"([a-z_]+)"/.exec(text);
  return found?.[1] ?? null;
}
