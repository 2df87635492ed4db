import { type ClientRequest, type IncomingMessage, request } from 'node:http';

/** A request whose pace the test decides. */
export interface SlowRequest {
  readonly call: ClientRequest;
  /** The head of the answer; its body is read only as the test does. */
  readonly head: Promise<IncomingMessage>;
  /** Resolves when the connection is gone. */
  readonly gone: Promise<void>;
}

/**
 * Begins a request of Alice on a connection of its own.
 * @param url whole URL
 */
export function beginRequest(method: string, url: string, headers: Readonly<Record<string, string>> = {}): SlowRequest {
  const call = request(url, { method, agent: false, headers: { authorization: 'Bearer alice-token', ...headers } });
  const gone = new Promise<void>((resolve) => {
    call.once('close', resolve);
  });
  const head = new Promise<IncomingMessage>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (message) => {
      message.pause();
      resolve(message);
    });
  });
  head.catch(() => undefined);
  call.on('error', () => undefined);
  if (method === 'GET' || method === 'HEAD') call.end();
  return { call, head, gone };
}

/** The rest of a body, and whether it came to its proper end. */
export function readBody(message: IncomingMessage): Promise<{ readonly text: string; readonly complete: boolean }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('error', () => undefined);
    const end = () => resolve({ text: Buffer.concat(chunks).toString(), complete: message.complete });
    if (message.closed) end();
    else message.once('close', end);
    message.resume();
  });
}

export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Asks again until the answer is yes; fails with what was waited for. */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await holds()) return;
    await delay(50);
  }
  throw new Error(`It did not happen in five seconds: ${what}.`);
}
