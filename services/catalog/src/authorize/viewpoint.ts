import type { RightsEvaluator } from '@holdfast/acl';
import type { Moment } from '../history/moment.js';

/** Through whose eyes, and when, tables are looked at. */
export interface Viewpoint {
  /** Roles of the client, `*` included: a parameter of statements, never text of theirs. */
  readonly roles: readonly string[];
  readonly moment: Moment;
}

/** The viewpoint of a client. */
export function viewpointOf({ roles }: RightsEvaluator, moment: Moment): Viewpoint {
  return { roles: [...roles], moment };
}
