import { type Database, retryOnCollision, sql } from '@holdfast/pg-kit';
import { authorize, type Caller } from '../authorize/rights.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import type { Conditions } from './conditions.js';
import { buryVersions } from './delete-name.js';
import { findVersion } from './find-version.js';
import { listsAt } from './lists-at.js';
import { lockDefined } from './lock-name.js';

/** A DELETE of one version. */
export interface DeleteVersionRequest {
  readonly path: CanonicalPath;
  readonly version: string;
  readonly caller: Caller;
  readonly conditions: Conditions;
}

/**
 * Deletes a version for ever; if it was current, the newest remaining one is from now on (spec/objectstore.md 12.1).
 * @throws {AppError} `not_found`, `forbidden`, `precondition_failed`
 */
export async function deleteVersion(
  database: Database,
  request: DeleteVersionRequest,
  signal: AbortSignal,
): Promise<void> {
  await retryOnCollision(() =>
    database.transaction({ signal }, async (connection) => {
      const place = await lockDefined(connection, request.path);
      const version = await findVersion(connection, place.target, request.version);
      authorize('delete-version', listsAt(place, version), request.caller);
      request.conditions.check(`"${version.version}"`);
      await buryVersions(connection, sql`v.id = ${version.id}`);
    }),
  );
}
