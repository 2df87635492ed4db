import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express';
import { AppError } from './app-error.js';
import { wireCode } from './error-codes.js';
import type { ErrorDocument } from './error-document.js';
import { type ErrorTemplates, type ErrorType, fillTemplate } from './error-templates.js';
import { escapeHtml } from './html.js';
import { negotiate } from './negotiation.js';
import { contextOf } from './request-context.js';
import type { WireProfile } from './wire-profile.js';

/** What a service makes of errors in its own way. */
export interface ErrorRules {
  /** What is shown of a status, for clients that know few of them; default: the status itself. */
  readonly shownStatus?: (status: number) => number;
  /** Texts of the deployment instead of those of the service. */
  readonly templates?: ErrorTemplates;
}

/**
 * Last middleware of every service: the only place that turns an error into an answer. JSON, text or HTML by `Accept`; what
 * an undecided client gets is a field of the wire profile. An error after the first byte breaks the connection, so that
 * a cut answer never looks complete.
 */
export function errorResponse(profile: WireProfile, rules: ErrorRules = {}): ErrorRequestHandler {
  const { shownStatus = (status: number) => status, templates = {} } = rules;
  return (thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    const { id, log } = contextOf(request);
    const error = toAppError(thrown);
    if (error.status >= 500) log.error({ err: thrown }, 'request failed');
    else log.debug({ err: thrown }, 'request refused');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (response.destroyed) return;
    const status = shownStatus(error.status);
    const document: ErrorDocument = {
      status,
      title: profile.errorTitles[status] ?? 'Error.',
      detail: error.detail,
      code: wireCode(error.code),
      request_id: id,
    };
    for (const name of [
      'ETag',
      'Content-Disposition',
      'Content-Encoding',
      'Cache-Control',
      'Location',
      'Content-Location',
    ])
      response.removeHeader(name);
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
    if (error.status === 401 && !response.hasHeader('WWW-Authenticate'))
      response.setHeader('WWW-Authenticate', 'Bearer');
    if ((error.status === 503 || error.status === 429) && !response.hasHeader('Retry-After'))
      response.setHeader('Retry-After', '5');
    if (!response.hasHeader('Vary')) response.setHeader('Vary', 'Accept, Authorization, Cookie');
    closeWhenBodyIsLong(request, response);
    const { type, body } = render(document, request.get('accept'), profile, templates);
    response.statusCode = status;
    response.setHeader('Content-Type', type);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

/** Anything thrown becomes one of the closed set; what is not ours is `internal` and shows nothing of itself. */
function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError('internal', 'The service failed at this request. The request id finds the reason in its log.', {
    cause: thrown,
  });
}

/** Bytes of an unread request body beyond which the connection is closed instead of drained. */
const DRAIN_LIMIT = 1024 * 1024;

function closeWhenBodyIsLong(request: Request, response: Response): void {
  if (request.readableEnded || request.complete) return;
  const length = Number(request.get('content-length') ?? Number.NaN);
  const unknown = Number.isNaN(length) && request.get('transfer-encoding') !== undefined;
  if (unknown || length > DRAIN_LIMIT) response.setHeader('Connection', 'close');
  else request.resume();
}

function render(
  document: ErrorDocument,
  accept: string | undefined,
  profile: WireProfile,
  templates: ErrorTemplates,
): { readonly type: string; readonly body: string } {
  const offered: readonly ErrorType[] =
    profile.errorForm === 'json'
      ? ['application/json', 'application/problem+json', 'text/plain', 'text/html']
      : ['text/plain', 'application/json', 'application/problem+json', 'text/html'];
  const chosen = negotiate(accept, offered) ?? (profile.errorForm === 'json' ? 'application/json' : 'text/plain');
  const template = templates[document.status]?.[chosen];
  const body = template === undefined ? builtIn(document, chosen) : fillTemplate(template, chosen, document);
  switch (chosen) {
    case 'text/html':
      return { type: 'text/html; charset=utf-8', body };
    case 'text/plain':
      return { type: profile.errorTextType, body };
    default:
      return { type: chosen, body };
  }
}

function builtIn(document: ErrorDocument, type: ErrorType): string {
  switch (type) {
    case 'text/html':
      return htmlPage(document);
    case 'text/plain':
      return `${document.title} Detail: ${document.detail}\n`;
    default:
      return `${JSON.stringify(document)}\n`;
  }
}

function htmlPage(document: ErrorDocument): string {
  const title = escapeHtml(`${document.status} ${document.title}`);
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>\n<body><h1>${title}</h1><p>${escapeHtml(document.detail)}</p><p>Request ${escapeHtml(document.request_id)}</p></body></html>\n`;
}
