import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Answers that still owe their client a `100 Continue`. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Hands requests with `Expect: 100-continue` to the ordinary handler without telling the client to go on yet: the handler may
 * refuse first (spec/objectstore.md 3.1). {@link sendContinue} lets the body come.
 */
export function deferContinue(
  server: Server,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response);
    handler(request, response);
  });
}

/** Tells a waiting client to send its body; does nothing for the others. Call it before reading a body. */
export function sendContinue(request: IncomingMessage): void {
  const response = waiting.get(request);
  if (response === undefined) return;
  waiting.delete(request);
  response.writeContinue();
}
