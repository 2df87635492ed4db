import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { AppError } from './app-error.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import { redactText } from './redaction.js';

/** What belongs to one request beside the request itself. */
export interface RequestContext {
  /** Id of the request, taken from `X-Request-Id` when the caller sent a usable one. */
  readonly id: string;
  readonly log: Logger;
  /** Fires when the client has gone or the service must stop: everything done for the request ends. */
  readonly signal: AbortSignal;
  /** Kind of resource, for metrics; set by the route that recognises it. */
  route: string;
  /** Further fields of the one log line of the request, for example the client id. */
  readonly logFields: Record<string, unknown>;
}

/** What {@link requestContext} needs. */
export interface RequestContextOptions {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Fires when the service gives up on running requests while it stops. */
  readonly stopSignal: AbortSignal;
}

const contexts = new WeakMap<object, RequestContext>();

/** The context of a request that passed {@link requestContext}. */
export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new AppError('internal', 'The request has no context.');
  return context;
}

/**
 * First middleware of every service: request id in and out, one log line and one metric when the answer is over, and the
 * signal that ends all work for a client that has gone.
 */
export function requestContext(options: RequestContextOptions): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const id = requestId(request);
    const abort = new AbortController();
    const context: RequestContext = {
      id,
      log: options.log.child({ req: id }),
      signal: AbortSignal.any([abort.signal, options.stopSignal]),
      route: 'other',
      logFields: {},
    };
    contexts.set(request, context);
    response.setHeader('X-Request-Id', id);
    const started = process.hrtime.bigint();
    const bytesBefore = request.socket.bytesWritten;
    response.once('close', () => {
      if (!response.writableFinished) abort.abort(new AppError('cancelled', 'The client has gone.'));
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      const bytes = request.socket.bytesWritten - bytesBefore;
      report(options.metrics, context, request, response, { seconds, bytes });
    });
    next();
  };
}

function report(
  metrics: Metrics,
  context: RequestContext,
  request: Request,
  response: Response,
  measure: { readonly seconds: number; readonly bytes: number },
): void {
  const { method } = request;
  const status = response.statusCode;
  metrics.observeRequest({ method, route: context.route, status, seconds: measure.seconds });
  context.log.info({
    method,
    target: redactText(request.originalUrl.slice(0, 2048)),
    status,
    complete: response.writableFinished,
    bytes: measure.bytes,
    ms: Math.round(measure.seconds * 1e4) / 10,
    type: response.getHeader('content-type'),
    address: request.ip,
    agent: request.get('user-agent')?.slice(0, 200),
    referer: request.get('referer')?.slice(0, 500),
    ...context.logFields,
  });
}

/** Ids from outside are kept when they are short and harmless, so that a request can be followed through services. */
function requestId(request: Request): string {
  const given = request.get('x-request-id');
  return given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}
