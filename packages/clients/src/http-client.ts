import { Readable } from 'node:stream';
import { Agent, type Dispatcher, errors } from 'undici';
import { type Credential, credentialHeaders } from './credential.js';
import { HttpError, MOST_DETAIL_BYTES, parseErrorBody, TransportError } from './http-error.js';
import { type RetryPolicy, withRetries } from './retry.js';

/** How a client of one server is made. */
export interface HttpClientOptions {
  /** Scheme, host and port, for example `https://data.example.org`. */
  readonly origin: string;
  /** Left out: anonymous. */
  readonly credential?: Credential;
  readonly userAgent?: string;
  /** Most connections to one origin; default 16. */
  readonly connections?: number;
  /** Milliseconds without a byte of the answer after which a request fails; default 300,000, 0 for never. */
  readonly idleTimeout?: number;
  /** Tries of GET and HEAD; default: one. Requests that change something are never repeated. */
  readonly retry?: RetryPolicy;
}

/** What can be sent as a body. Bytes of unknown length go in chunked transfer coding. */
export type RequestBody = string | Uint8Array | AsyncIterable<Uint8Array | string>;

/** One request. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Path and query, encoded already. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: RequestBody;
  readonly signal?: AbortSignal | null;
  /** Overrides the client's for this request; 0 for an answer that may take as long as it likes. */
  readonly idleTimeout?: number;
  /** Redirects of GET and HEAD followed; default 0. The credential stays behind when the origin changes. */
  readonly redirects?: number;
  readonly retry?: RetryPolicy;
}

/** An answer below 400. The body must be read or discarded, or its connection is lost to the pool. */
export interface HttpAnswer {
  readonly status: number;
  /** By lower-case name; repeated lines are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes, at the pace of the reader. */
  readonly body: Readable;
  text(): Promise<string>;
  json(): Promise<unknown>;
  /** Reads the rest and forgets it. */
  discard(): Promise<void>;
  /** Ends the answer with its connection: for a rest too long to read. */
  abandon(): void;
}

/** Requests to one server over kept connections. */
export interface HttpClient {
  readonly origin: string;
  /**
   * @throws {HttpError} for a status of 400 and above
   * @throws {TransportError} when there is no whole answer
   * @throws the reason of the signal
   */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** The same connections with another credential; null for anonymous. Only the first client closes them. */
  as(credential: Credential | null): HttpClient;
  close(): Promise<void>;
}

/** Makes a client; connections open with the first request. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const idle = options.idleTimeout ?? 300_000;
  const agent = new Agent({
    connections: options.connections ?? 16,
    headersTimeout: idle,
    bodyTimeout: idle,
    connect: { timeout: 6_000 },
  });
  return clientOver(agent, options, options.credential ?? null);
}

function clientOver(agent: Agent, options: HttpClientOptions, credential: Credential | null): HttpClient {
  const origin = new URL(options.origin).origin;
  return {
    origin,
    request: (request) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const policy = isRead ? (request.retry ?? options.retry ?? null) : null;
      return withRetries(policy, request.signal ?? null, () =>
        follow({ agent, origin, credential, userAgent: options.userAgent }, request),
      );
    },
    as: (other) => clientOver(agent, options, other),
    close: () => agent.close(),
  };
}

interface Caller {
  readonly agent: Agent;
  readonly origin: string;
  readonly credential: Credential | null;
  readonly userAgent: string | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

async function follow(caller: Caller, request: HttpRequest): Promise<HttpAnswer> {
  const answer = await send(caller, request);
  const { location } = answer.headers;
  const left = request.redirects ?? 0;
  if (left === 0 || !REDIRECTS.has(answer.status) || location === undefined) return answer;
  await answer.discard();
  const target = new URL(location, `${caller.origin}${request.path}`);
  const credential = target.origin === caller.origin ? caller.credential : null;
  return follow(
    { ...caller, origin: target.origin, credential },
    { ...request, path: `${target.pathname}${target.search}`, redirects: left - 1 },
  );
}

async function send(caller: Caller, request: HttpRequest): Promise<HttpAnswer> {
  const own = await credentialHeaders(caller.credential);
  const headers = { 'user-agent': caller.userAgent ?? 'holdfast-client', ...defined(request.headers), ...own };
  const timeouts =
    request.idleTimeout === undefined ? {} : { headersTimeout: request.idleTimeout, bodyTimeout: request.idleTimeout };
  let response: Dispatcher.ResponseData;
  try {
    response = await caller.agent.request({
      origin: caller.origin,
      path: request.path,
      method: request.method,
      headers,
      body: bodyOf(request.body),
      signal: request.signal ?? null,
      ...timeouts,
    });
  } catch (error) {
    throw failureOf(error, request, caller.origin);
  }
  if (response.statusCode >= 400) throw await refusal(response, request);
  return answerOf(response, request, caller.origin);
}

/** A response as callers see it. */
export function answerOf(response: Dispatcher.ResponseData, request: HttpRequest, origin: string): HttpAnswer {
  const { body } = response;
  const whole = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    try {
      return await read();
    } catch (error) {
      throw error instanceof SyntaxError ? error : failureOf(error, request, origin);
    }
  };
  return {
    status: response.statusCode,
    headers: joined(response.headers),
    body,
    text: () => whole(() => body.text()),
    json: () => whole(() => body.json()),
    discard: () =>
      whole(async () => {
        for await (const _ of body);
      }),
    abandon: () => {
      // a body that nobody listens to would throw that it was cut off
      body.on('error', () => undefined).destroy();
    },
  };
}

/** The error that a response of 400 and above is. */
export async function refusal(response: Dispatcher.ResponseData, request: HttpRequest): Promise<HttpError> {
  const headers = joined(response.headers);
  const retryAfter = Number(headers['retry-after'] ?? Number.NaN);
  return new HttpError({
    method: request.method,
    path: request.path.split('?')[0] ?? request.path,
    document: parseErrorBody(response.statusCode, await firstBytes(response.body)),
    requestId: headers['x-request-id'] ?? null,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

/** The beginning of a body; a long rest is not worth its connection. */
async function firstBytes(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length >= MOST_DETAIL_BYTES) break;
    }
  } catch {
    // an error document that breaks off: what came of it must do
  }
  return Buffer.concat(chunks).toString('utf8', 0, MOST_DETAIL_BYTES);
}

function bodyOf(body: RequestBody | undefined): string | Buffer | Readable | null {
  if (body === undefined) return null;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return body instanceof Readable ? body : Readable.from(body, { objectMode: false });
}

/** Whether an answer broke off, or its connection: asked again, it may come whole. A server that is silent is not meant. */
export function isBrokenTransfer(error: unknown): boolean {
  if (error instanceof TransportError) return error.kind === 'broken';
  const code = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && BROKEN_CODES.has(code);
}

/** Network failures as {@link TransportError}; everything else (the reason of a signal, an error of the body sent) as it is. */
export function failureOf(error: unknown, request: HttpRequest, origin: string): unknown {
  if (request.signal?.aborted === true) return request.signal.reason;
  const where = `${request.method} ${origin}${request.path.split('?')[0]}`;
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new TransportError('timeout', `${where}: the server sent nothing for too long.`, error);
  }
  const code = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (typeof code !== 'string') return error;
  if (CONNECT_CODES.has(code)) return new TransportError('connect', `${where}: the server cannot be reached.`, error);
  if (BROKEN_CODES.has(code)) return new TransportError('broken', `${where}: the connection broke.`, error);
  return error;
}

const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const BROKEN_CODES = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'HPE_INVALID_CONSTANT',
  'HPE_UNEXPECTED_CONTENT_LENGTH',
]);

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

function defined(headers: Readonly<Record<string, string | undefined>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])),
  );
}
