import { type ErrorRules, type Logger, type Metrics, serviceApp, type WireProfile } from '@holdfast/http-kit';
import type { Database } from '@holdfast/pg-kit';
import type { Express } from 'express';
import type { BlobStore } from './blobs/blob-store.js';
import type { ObjectStoreSettings } from './http/exchange.js';
import { type CallerSource, mountObjectStore } from './http/routes.js';

/** What the app is made of. */
export interface ObjectStoreAppOptions {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly profile: WireProfile;
  readonly stopSignal: AbortSignal;
  readonly trustProxy: string;
  readonly database: Database;
  readonly store: BlobStore;
  readonly settings: ObjectStoreSettings;
  readonly errorRules: ErrorRules;
  readonly callers: CallerSource;
}

/** The Express app of the object store. */
export function objectStoreApp(options: ObjectStoreAppOptions): Express {
  const { database, store, profile, log, settings, stopSignal, callers } = options;
  return serviceApp({
    ...options,
    routes: (app) => mountObjectStore(app, { database, store, profile, log, settings, stopSignal }, callers),
  });
}
