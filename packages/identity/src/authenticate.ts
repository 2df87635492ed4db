import { AppError } from '@holdfast/http-kit';
import type { RequestHandler } from 'express';
import { anonymousContext, rememberClient } from './client-context.js';
import type { DevTokens } from './dev-tokens.js';

/** First outline: development tokens as bearer only. */
export function authenticator(parts: { readonly devTokens: DevTokens }): RequestHandler {
  return (request, _response, next) => {
    const header = request.get('authorization');
    if (header === undefined) {
      rememberClient(request, anonymousContext, 'none');
      return next();
    }
    const found = parts.devTokens.find(/^bearer +(\S+)$/i.exec(header)?.[1] ?? '');
    if (found === null || found === 'expired') {
      throw new AppError('invalid_token', 'The bearer token is not valid.', {
        headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
      });
    }
    rememberClient(request, found, 'header');
    next();
  };
}
