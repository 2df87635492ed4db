import { AppError, contextOf } from '@holdfast/http-kit';
import { LIVE, type Moment } from '../history/moment.js';
import type { CatalogState } from '../model/catalog-state.js';
import type { Model } from '../model/model.js';
import type { OpenCatalog } from '../registry/open-catalog.js';
import type { ServiceRequest } from './service-request.js';

/** What a request below a catalog goes by. */
export interface Ground {
  readonly model: Model;
  readonly state: CatalogState;
  readonly moment: Moment;
}

/** Where the ground of a request comes from. */
export interface GroundSource {
  /** As it was known last, which the request has to verify; null when nothing is known. */
  latest(): Ground | null;
  /** As it is now. */
  current(): Promise<Ground>;
}

/** The snapshot that a URL asks for. */
export interface Revision {
  readonly instant: bigint;
  /** As the URL has it. */
  readonly text: string;
}

/** The ground of a request for the live catalog. */
export function liveGround({ request, parts }: ServiceRequest, { database, key }: OpenCatalog): GroundSource {
  return {
    latest: () => {
      const known = parts.models.latest(key);
      return known === null ? null : { ...known, moment: LIVE };
    },
    current: async () => ({
      ...(await parts.models.current(database, key, { signal: contextOf(request).signal })),
      moment: LIVE,
    }),
  };
}

/**
 * The ground of a request for a snapshot.
 * @param data whether it is a data request: only for others is a revision before all history "not found" (spec/catalog-access.md 9.3)
 */
export function pastGround(
  { request, parts }: ServiceRequest,
  { database, key }: OpenCatalog,
  revision: Revision,
  data: boolean,
): GroundSource {
  return {
    latest: () => parts.pasts.latest(key, revision.instant),
    current: async () => {
      const past = await parts.pasts.at(database, key, revision.instant, contextOf(request).signal);
      if (past !== null) return past;
      throw new AppError(
        data ? 'prior_revision' : 'not_found',
        `Requested catalog revision "${revision.text}" is prior to any known revision.`,
      );
    },
  };
}

/** Whether nothing is different; caches give the same objects for the same state. */
export function sameGround(one: Ground, other: Ground): boolean {
  return one.model === other.model && one.moment === other.moment && one.state.snapshot === other.state.snapshot;
}
