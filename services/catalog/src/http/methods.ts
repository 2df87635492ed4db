import { methodNotAllowed, sendEmpty } from '@holdfast/http-kit';
import type { Request, Response } from 'express';

/** What a resource does for each method it knows. */
export type Methods<Handler> = Readonly<Partial<Record<'GET' | 'PUT' | 'POST' | 'DELETE', Handler>>>;

/**
 * The handler for the method of a request; HEAD is a GET whose body is left out when it is sent.
 * @returns null when the answer was sent: OPTIONS
 * @throws {AppError} `method_not_allowed`, with the methods there are
 */
export function handlerFor<Handler>(methods: Methods<Handler>, request: Request, response: Response): Handler | null {
  const { method } = request;
  const allowed = [...Object.keys(methods), ...(methods.GET === undefined ? [] : ['HEAD']), 'OPTIONS'];
  if (method === 'OPTIONS') {
    response.setHeader('Allow', allowed.join(', '));
    sendEmpty(response, 200);
    return null;
  }
  const name = method === 'HEAD' ? 'GET' : method;
  if (name === 'GET' || name === 'PUT' || name === 'POST' || name === 'DELETE') {
    const handler = methods[name];
    if (handler !== undefined) return handler;
  }
  throw methodNotAllowed(allowed);
}
