import { type Logger, type Metrics, serviceApp } from '@holdfast/http-kit';
import type { Identity } from '@holdfast/identity';
import type { Express } from 'express';
import { mountDelegationRoute } from './http/delegation-resource.js';
import type { ApiParts } from './http/export-parts.js';
import { mountExportRoutes } from './http/export-routes.js';

/** What the app needs beside the parts of its routes. */
export interface AppParts extends ApiParts {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly identity: Pick<Identity, 'authenticate'>;
  readonly trustProxy: string;
}

/** The Express app of the API process. */
export function exportApp(parts: AppParts): Express {
  return serviceApp({
    ...parts,
    errorRules: { shownStatus: parts.shownStatus },
    routes: (app) => {
      // tokens for other services are shown here, to be asked about: they prove nothing else
      mountDelegationRoute(app, parts);
      app.use(parts.identity.authenticate);
      mountExportRoutes(app, parts);
    },
  });
}
