import type { RightsEvaluator } from '@holdfast/acl';
import type { WireProfile } from '@holdfast/http-kit';
import type { ClientContext } from '@holdfast/identity';
import type { Request, Response } from 'express';
import type { Moment } from '../history/moment.js';
import type { PastCatalogs } from '../history/past-catalogs.js';
import type { CatalogState } from '../model/catalog-state.js';
import type { Model } from '../model/model.js';
import type { ModelCache } from '../model/model-cache.js';
import type { TextCache } from '../model/text-cache.js';
import type { OpenCatalog } from '../registry/open-catalog.js';
import type { LateWorker } from '../schema-change/late-worker.js';
import type { CatalogSettings } from '../settings.js';

/**
 * A request below `<C>`: its catalog is known and the client may see it. What it asks for is in `rest`.
 */
export interface CatalogRequest {
  readonly request: Request;
  readonly response: Response;
  readonly catalog: OpenCatalog;
  /** The model when the request began: of the live catalog, or of the snapshot that is addressed. */
  readonly model: Model;
  /** The state when the request began; at a snapshot, its instant and amendment. */
  readonly state: CatalogState;
  /** The snapshot addressed with `@`, as microseconds since 1970; null for the live catalog. */
  readonly snapshot: bigint | null;
  /** The same with the place of its rows. */
  readonly moment: Moment;
  /**
   * Whether model and state are those known last, not looked up for this request: its statements must find out whether they still
   * hold, and throw {@link StalePresumption} when they do not. Reads of rows of a snapshot always find out.
   */
  readonly presumed: boolean;
  readonly models: ModelCache;
  readonly pasts: PastCatalogs;
  readonly lateWork: LateWorker;
  /** Texts of `GET <C>/schema`, by entity tag. */
  readonly modelTexts: TextCache;
  readonly client: ClientContext;
  /** Rights of the client; remembers its answers by model object. */
  readonly rights: RightsEvaluator;
  /** Raw target behind the catalog segment, without the slash, with the query. */
  readonly rest: string;
  /** URL prefix of the service as the request has it, for `Location`: `/data`. */
  readonly prefix: string;
  readonly profile: WireProfile;
  readonly settings: CatalogSettings;
  readonly signal: AbortSignal;
}

/** The model a request went by is not the catalog's any more. */
export class StalePresumption extends Error {}

/** Answers a request below a catalog that is open and that the client may see. */
export type CatalogHandler = (context: CatalogRequest) => Promise<void>;
