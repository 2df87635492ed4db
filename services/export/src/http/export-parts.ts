import type { ObjectStoreClient } from '@holdfast/clients';
import type { ProcessConfig, WireProfile } from '@holdfast/http-kit';
import type { IdentityConfig, Sealer } from '@holdfast/identity';
import type { ExportChanges } from '../job/export-changes.js';
import type { ExportQueue } from '../job/export-queue.js';
import type { ExportStore } from '../job/export-store.js';
import type { ResultRemover } from '../publish/remove-results.js';
import type { RequestSettings } from '../request/parse-request.js';
import type { ExportConfig } from '../settings.js';
import type { DelegationParts } from './delegate.js';

/** What the API works with. */
export interface ApiParts {
  readonly config: ExportConfig & Pick<ProcessConfig, 'PUBLIC_URL'> & Pick<IdentityConfig, 'SERVICE_JWKS'>;
  readonly profile: WireProfile;
  readonly requestSettings: RequestSettings;
  readonly store: ExportStore;
  readonly queue: ExportQueue;
  readonly changes: ExportChanges;
  readonly delegation: DelegationParts;
  readonly sealer: Sealer;
  /** Speaks to the object store as the service itself. */
  readonly results: ObjectStoreClient;
  readonly remover: ResultRemover;
  /** Origin to which readers are sent for results; null: they get them from here. */
  readonly redirectOrigin: string | null;
  /** What is shown of the status of an error (spec/export.md 11, `compat.seedStatuses`). */
  readonly shownStatus: (status: number) => number;
  /** Fires when the service stops; a client that has gone looks different. */
  readonly stopSignal: AbortSignal;
  /** Milliseconds after which the export of a client that has gone is cancelled. */
  readonly cancelAfter: number;
}
