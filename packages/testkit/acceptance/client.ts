import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON; throws when it is not. */
  json(): unknown;
}

export interface Call {
  /** Of a development identity; null: anonymous. */
  readonly as?: 'alice' | 'bob' | 'carol' | 'admin' | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | Readable;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly csv?: string;
}

type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS';

/** A client of one server that follows no redirect, repeats nothing and takes every status. Alice unless told otherwise. */
export interface Client {
  readonly url: string;
  call(method: Method, path: string, call?: Call): Promise<Answer>;
  close(): Promise<void>;
}

export function openClient(url: string): Client {
  const agent = new Agent({ connections: 4 });
  return {
    url,
    async call(method, path, { as = 'alice', headers = {}, body, json, csv } = {}) {
      const sent = json === undefined ? (csv ?? body) : JSON.stringify(json);
      const type = json === undefined ? (csv === undefined ? {} : { 'content-type': 'text/csv' }) : jsonType;
      const response = await request(new URL(path, url), {
        dispatcher: agent,
        method,
        headers: { ...(as === null ? {} : { authorization: `Bearer ${tokenOf(as)}` }), ...type, ...headers },
        body: sent ?? null,
      });
      const bytes = Buffer.from(await response.body.arrayBuffer());
      return {
        status: response.statusCode,
        headers: Object.fromEntries(
          Object.entries(response.headers).map(([name, value]) => [
            name.toLowerCase(),
            Array.isArray(value) ? value.join(', ') : value,
          ]),
        ),
        bytes,
        text: bytes.toString('utf8'),
        json: () => JSON.parse(bytes.toString('utf8')),
      };
    },
    close: () => agent.close(),
  };
}

/** Alice may have a token of another server (`ACCEPTANCE_TOKEN`); the others have those of the development stack. */
function tokenOf(name: string): string {
  const { ACCEPTANCE_TOKEN } = process.env;
  return name === 'alice' && ACCEPTANCE_TOKEN !== undefined ? ACCEPTANCE_TOKEN : `${name}-token`;
}

const jsonType = { 'content-type': 'application/json' };
