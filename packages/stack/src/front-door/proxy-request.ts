import { type Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { isLoopback } from './loopback.js';

/** What one connection may not tell the next (RFC 9110 7.6.1), and what node:http writes by itself. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** A client that keeps sending after its answer has come is read for this long, so that it can read that answer. */
const lingerMs = 5_000;

/**
 * Hands one request on to a service and its answer back, streaming both with back-pressure. Target, header lines and
 * bodies pass unchanged, apart from hop-by-hop fields and X-Forwarded-*. When one side goes away the other is cut, too.
 *
 * Own code because the proxy library tried first (httpxy 0.5) answers `Expect: 100-continue` before the service has
 * decided, loses trailers and repeated header lines, and reads a refused upload to its end.
 *
 * @param target the raw request target
 * @param fail called when the service cannot be reached, before anything was answered
 */
export function proxyRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  upstream: { readonly port: number; readonly agent: Agent; readonly target: string },
  fail: (error: Error) => void,
): void {
  const forward = request({
    host: '127.0.0.1',
    port: upstream.port,
    agent: upstream.agent,
    method: incoming.method,
    path: upstream.target,
    setHost: false,
  });
  setRequestHeaders(forward, incoming);
  let answer: IncomingMessage | undefined;

  forward.on('continue', () => outgoing.writeContinue());
  forward.on('response', (message) => {
    answer = message;
    sendAnswer(message, outgoing);
  });
  forward.on('error', (error) => {
    if (answer === undefined && !outgoing.destroyed) fail(error);
  });
  forward.on('close', () => stopReading(incoming));
  outgoing.on('close', () => {
    // the answer is complete or the client has gone: either way nobody waits for the service any more
    if (!outgoing.writableFinished) forward.destroy();
  });
  incoming.on('close', () => {
    if (!incoming.complete) forward.destroy();
  });
  incoming.pipe(forward, { end: false });
  incoming.on('end', () => {
    if (incoming.rawTrailers.length > 0 && !forward.destroyed) forward.addTrailers(pairs(incoming.rawTrailers));
    forward.end();
  });
}

function setRequestHeaders(forward: ClientRequest, incoming: IncomingMessage): void {
  for (const [name, values] of endToEndHeaders(incoming)) forward.setHeader(name, values);
  for (const [name, value] of forwardedHeaders(incoming)) forward.setHeader(name, value);
  if (!isLoopback(incoming.socket.remoteAddress ?? '')) forward.removeHeader('Forwarded');
  // a body of unknown length stays one; a request without a body must not get one, not even an empty one
  const chunked = incoming.headers['transfer-encoding'] !== undefined;
  if (chunked) forward.setHeader('Transfer-Encoding', 'chunked');
  else if (incoming.headers['content-length'] === undefined) forward.useChunkedEncodingByDefault = false;
  // the service may decide before the first byte of the body has come
  if (chunked || incoming.headers['content-length'] !== undefined) forward.flushHeaders();
}

/** A proxy on this machine in front of ours is believed; other clients cannot say where they come from. */
function forwardedHeaders(incoming: IncomingMessage): readonly (readonly [string, string])[] {
  const client = incoming.socket.remoteAddress ?? 'unknown';
  const given = isLoopback(client) ? incoming.headers : {};
  const earlier = given['x-forwarded-for'];
  return [
    ['X-Forwarded-For', earlier === undefined ? client : `${String(earlier)}, ${client}`],
    ['X-Forwarded-Proto', String(given['x-forwarded-proto'] ?? 'http')],
    ['X-Forwarded-Host', String(given['x-forwarded-host'] ?? incoming.headers.host ?? 'localhost')],
  ];
}

function sendAnswer(answer: IncomingMessage, outgoing: ServerResponse): void {
  for (const [name, values] of endToEndHeaders(answer)) outgoing.setHeader(name, values);
  if (answer.headers.date !== undefined) outgoing.sendDate = false;
  if (answer.headers.trailer !== undefined) outgoing.setHeader('Transfer-Encoding', 'chunked');
  outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage);
  // a first event of a slow answer must not wait for the second
  outgoing.flushHeaders();
  answer.pipe(outgoing, { end: false });
  answer.on('end', () => {
    if (answer.rawTrailers.length > 0) outgoing.addTrailers(pairs(answer.rawTrailers));
    outgoing.end();
  });
  // cut off by the service: the client must see that the answer is not whole
  answer.on('close', () => {
    if (!answer.complete) outgoing.destroy();
  });
}

function stopReading(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  incoming.unpipe();
  incoming.resume();
  const timer = setTimeout(() => incoming.destroy(), lingerMs).unref();
  incoming.once('close', () => clearTimeout(timer));
}

/** The header lines that are meant for the other end, by name, repeated ones with all their values. */
function endToEndHeaders(message: IncomingMessage): ReadonlyMap<string, string[]> {
  const named = (message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...hopByHop, ...named]);
  const headers = new Map<string, string[]>();
  for (const [name, value] of pairs(message.rawHeaders)) {
    const key = name.toLowerCase();
    if (dropped.has(key)) continue;
    headers.set(key, [...(headers.get(key) ?? []), value]);
  }
  return headers;
}

function pairs(raw: readonly string[]): [string, string][] {
  const result: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) result.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return result;
}
