import type { Connection } from '@holdfast/pg-kit';
import { authorize, type Caller } from '../authorize/rights.js';
import { type DefinedPlace, findDefined } from '../directory/find-place.js';
import { findVersion } from '../directory/find-version.js';
import { followForward } from '../directory/follow-forward.js';
import { listsAt } from '../directory/lists-at.js';
import type { VersionRecord } from '../directory/records.js';
import type { BlobKey } from '../naming/blob-key.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import type { Exchange } from './exchange.js';

/**
 * The version a GET or HEAD addresses, if the client may read it; a forwarded one itself, not what it forwards to.
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

async function readableAt(
  connection: Connection,
  place: DefinedPlace,
  version: string | null,
  caller: Caller,
): Promise<VersionRecord> {
  const found = await findVersion(connection, place.target, version);
  authorize('read-version', listsAt(place, found), caller);
  return found;
}

/** Content that a client may read, under the name it has now. */
export interface ReadableContent {
  readonly path: CanonicalPath;
  readonly version: VersionRecord;
  readonly key: BlobKey;
}

/**
 * What a GET or HEAD of content reads. Renames are followed, and rights are asked where that ends (spec/objectstore.md 9.4).
 * @param version null for the current one
 * @throws {AppError} `not_found`, `no_current_version`, `renamed_target_gone`, `auth_required`, `forbidden`
 */
export async function contentAt(
  connection: Connection,
  place: DefinedPlace,
  version: string | null,
  caller: Caller,
): Promise<ReadableContent> {
  const addressed = { place, version: await findVersion(connection, place.target, version) };
  const end = await followForward(connection, addressed);
  authorize('read-version', listsAt(end.place, end.version), caller);
  // the end of a chain has its bytes
  if (end.version.content.kind !== 'here') throw new TypeError('a chain of renames does not end');
  return { path: end.place.path, version: end.version, key: end.version.content.key };
}
