import express, { type Express } from 'express';
import { AppError } from './app-error.js';
import { type ErrorRules, errorResponse } from './error-response.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import { requestContext } from './request-context.js';
import type { WireProfile } from './wire-profile.js';

/** What {@link serviceApp} needs. */
export interface ServiceAppOptions {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly profile: WireProfile;
  readonly stopSignal: AbortSignal;
  /** Express's `trust proxy`: addresses or names of subnets whose forwarded headers count. */
  readonly trustProxy: string;
  /** How this service shows errors, beside the profile. */
  readonly errorRules?: ErrorRules;
  /** Adds the service's own middleware. */
  readonly routes: (app: Express) => void;
}

/** Bytes of a request target that are always accepted (spec/catalog-data.md 1.3.12); longer ones get 414. */
const MOST_TARGET_BYTES = 16 * 1024;

/**
 * The Express app common to all services: context first, then the routes, then 404 for what nobody took and the one place
 * that renders errors. Routes read `request.originalUrl`, which is the raw target.
 */
export function serviceApp(options: ServiceAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set(
    'trust proxy',
    options.trustProxy === 'none' ? false : options.trustProxy.split(',').map((word) => word.trim()),
  );
  app.use(requestContext(options));
  app.use((request, _response, next) => {
    if (request.originalUrl.length > MOST_TARGET_BYTES)
      throw new AppError(
        'uri_too_long',
        `A request target may have ${MOST_TARGET_BYTES} bytes at most; split the request.`,
      );
    next();
  });
  options.routes(app);
  app.use((request) => {
    throw new AppError(
      'not_found',
      `There is nothing at ${JSON.stringify(request.originalUrl.split('?')[0]?.slice(0, 200))}.`,
    );
  });
  app.use(errorResponse(options.profile, options.errorRules));
  return app;
}
