import type { RightsEvaluator } from '@holdfast/acl';
import type { Logger } from '@holdfast/http-kit';
import type { ClientContext } from '@holdfast/identity';
import type { Connection } from '@holdfast/pg-kit';
import type { Change } from '../history/change.js';
import type { Model } from '../model/model.js';
import type { LateWork } from './late-work-list.js';

/**
 * A change of a model under way: the writer lock is held, the model is the present one. What it writes carries the instant of the
 * change.
 */
export interface ModelEdit {
  readonly connection: Connection;
  readonly change: Change;
  readonly model: Model;
  readonly client: ClientContext;
  readonly rights: RightsEvaluator;
  /** Authorities of special annotation keys, the preferred one first. */
  readonly registrants: readonly string[];
  /** Says that something changed, so that there will be a snapshot. */
  touch(): void;
  /** What is to be done after the commit. */
  readonly lateWork: LateWork[];
  readonly log: Logger;
}
