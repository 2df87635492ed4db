import type { Connection } from '@holdfast/pg-kit';
import { authorize, type Caller } from '../authorize/rights.js';
import { type DefinedPlace, findDefined } from '../directory/find-place.js';
import { findVersion } from '../directory/find-version.js';
import { listsAt } from '../directory/lists-at.js';
import type { VersionRecord } from '../directory/records.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import type { Exchange } from './exchange.js';

/**
 * The version a GET or HEAD addresses, if the client may read it.
 * @param version null for the current one
 */
export async function findReadable(
  exchange: Exchange,
  path: CanonicalPath,
  version: string | null,
): Promise<VersionRecord> {
  return exchange.parts.database.withConnection(exchange.signal, async (connection) =>
    readableAt(connection, await findDefined(connection, path), version, exchange.caller),
  );
}

/** {@link findReadable} for a name that is found already. */
export async function readableAt(
  connection: Connection,
  place: DefinedPlace,
  version: string | null,
  caller: Caller,
): Promise<VersionRecord> {
  const found = await findVersion(connection, place.target, version);
  authorize('read-version', listsAt(place, found), caller);
  return found;
}
