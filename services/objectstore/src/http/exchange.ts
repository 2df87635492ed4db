import type { FirewallLists } from '@holdfast/acl';
import type { Logger, WireProfile } from '@holdfast/http-kit';
import type { Database } from '@holdfast/pg-kit';
import type { Request, Response } from 'express';
import type { Caller } from '../authorize/rights.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { type Conditions, conditionsOf } from '../directory/conditions.js';
import type { Quotas } from '../directory/quotas.js';
import type { UrlLimits } from '../naming/parse-target.js';
import type { Method } from '../naming/resource.js';
import type { RateLimit } from './rate-limit.js';

/** What every route needs of the service. */
export interface ServiceParts {
  readonly database: Database;
  readonly store: BlobStore;
  readonly profile: WireProfile;
  readonly log: Logger;
  readonly settings: ObjectStoreSettings;
  /** Fires when the service gives up on what is running while it stops. */
  readonly stopSignal: AbortSignal;
}

/** Settings of a deployment (docs/configuration.md). */
export interface ObjectStoreSettings {
  readonly firewall: FirewallLists;
  readonly namespaceMediaTypes: readonly string[];
  readonly unknownLengthRoles: readonly string[];
  /** Name of the request header; null when the feature is off. */
  readonly initialAclHeader: string | null;
  readonly urlLimits: UrlLimits;
  readonly maxRequestBytes: number;
  readonly maxJsonBytes: number;
  readonly maxObjectBytes: number;
  readonly maxBulkDelete: number;
  /** Seconds without any progress of a connection after which it is cut. */
  readonly stallSeconds: number;
  readonly corsOrigins: readonly string[];
  readonly upload: UploadSettings;
  /** Whether deleted names may be revived by a PUT. */
  readonly restoreDeleted: boolean;
  readonly bulkListings: boolean;
  readonly quotas: Quotas;
  /** Null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** Where lists wait that are too long for memory. */
  readonly spoolDirectory: string;
  /** Content above so many bytes may be fetched from the store itself, by a URL valid for so long; null: never. */
  readonly presign: { readonly aboveBytes: number; readonly seconds: number } | null;
}

/** Bounds of upload jobs. */
export interface UploadSettings {
  readonly perObject: number;
  readonly perClient: number;
  readonly minChunkBytes: number;
  readonly maxChunks: number;
  readonly idleHours: number;
  readonly maxAgeHours: number;
}

/** One request on its way through the service, after its target was read and its client is known. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly method: Method;
  /** Prefix of the request: paths in the answer start with it. */
  readonly prefix: string;
  /** `parents=true` */
  readonly parents: boolean;
  /** Other parameters of the URL; only bulk listings have any. */
  readonly parameters: URLSearchParams;
  readonly caller: Caller;
  /** Fires when the client has gone or the service gives up. */
  readonly signal: AbortSignal;
  readonly parts: ServiceParts;
}

/** Preconditions of a changing request. */
export function conditionsIn({ request }: Exchange): Conditions {
  return conditionsOf({ ifMatch: request.get('if-match'), ifNoneMatch: request.get('if-none-match') });
}
