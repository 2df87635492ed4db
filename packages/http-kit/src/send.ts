import type { Request, Response } from 'express';

/**
 * Sends a small body that is complete in memory, with its bare media type: clients compare `Content-Type` exactly
 * (spec/profiles.md, line 2), so Express's own `json()` and `send()` are not used. HEAD gets the headers only.
 */
export function sendBody(
  request: Request,
  response: Response,
  status: number,
  type: string,
  body: string | Buffer,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.statusCode = status;
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', bytes.byteLength);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** Sends a JSON document, ended by a newline. */
export function sendJson(request: Request, response: Response, status: number, document: unknown): void {
  sendBody(request, response, status, 'application/json', `${JSON.stringify(document)}\n`);
}

/** Sends a status without a body: 204, 304. */
export function sendEmpty(response: Response, status: number): void {
  response.statusCode = status;
  response.end();
}
