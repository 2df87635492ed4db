import { AppError } from '@holdfast/http-kit';
import { type Connection, type Database, retryOnCollision, type Sql, sql } from '@holdfast/pg-kit';
import { authorize, type Caller } from '../authorize/rights.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import type { MetadataField, MetadataValue } from '../naming/content-metadata.js';
import type { Conditions } from './conditions.js';
import { type DefinedPlace, findDefined } from './find-place.js';
import { findVersion } from './find-version.js';
import { listsAt } from './lists-at.js';
import { lockDefined } from './lock-name.js';
import { type HashExposure, metadataFieldTag, metadataText } from './metadata.js';
import type { KnownHash, VersionRecord } from './records.js';

/** A change of one metadata field of a version. */
export interface MetadataRequest {
  readonly path: CanonicalPath;
  /** Null: the current version. */
  readonly version: string | null;
  readonly field: MetadataField;
  readonly caller: Caller;
  readonly conditions: Conditions;
  readonly exposure: HashExposure;
  /** Whether a hash that was set can be taken away (16). */
  readonly checksumDelete: 'refuse' | 'allow';
}

/** Steps 6 to 8 of spec/objectstore.md 3.1 for a change of metadata. Changes nothing. */
export async function inspectMetadata(
  connection: Connection,
  request: MetadataRequest,
  found?: DefinedPlace,
): Promise<VersionRecord> {
  const place = found ?? (await findDefined(connection, request.path));
  const version = await findVersion(connection, place.target, request.version);
  authorize('change-metadata', listsAt(place, version), request.caller);
  request.conditions.check(metadataFieldTag(metadataText(version, request.field, request.exposure)));
  return version;
}

/**
 * Sets one field (spec/objectstore.md 7.1): type and disposition at will, a hash once, and never against what the service
 * computed itself.
 * @throws {AppError} `write_once`
 */
export async function setMetadata(
  database: Database,
  request: MetadataRequest,
  value: MetadataValue,
  signal: AbortSignal,
): Promise<void> {
  await change(database, request, signal, (version) => {
    switch (value.field) {
      case 'content-type':
        return sql`content_type = ${value.text}`;
      case 'content-disposition':
        return sql`disposition = ${value.text}`;
      case 'content-md5':
        refuseOtherHash(version.md5, value.hash);
        return sql`md5 = ${value.hash}, md5_declared = true`;
      case 'content-sha256':
        refuseOtherHash(version.sha256, value.hash);
        return sql`sha256 = ${value.hash}, sha256_declared = true`;
    }
  });
}

/**
 * Unsets one field. An unset one stays so; a hash that is set cannot be taken away, unless the deployment wants it: then it counts as one that
 * no client supplied.
 * @throws {AppError} `write_once`
 */
export async function clearMetadata(database: Database, request: MetadataRequest, signal: AbortSignal): Promise<void> {
  const { field, exposure, checksumDelete } = request;
  await change(database, request, signal, (version) => {
    if (field === 'content-type') return sql`content_type = null`;
    if (field === 'content-disposition') return sql`disposition = null`;
    if (metadataText(version, field, exposure) === null) return null;
    if (checksumDelete === 'allow')
      return field === 'content-md5' ? sql`md5_declared = false` : sql`sha256_declared = false`;
    throw new AppError('write_once', 'A hash stays as long as its version.');
  });
}

async function change(
  database: Database,
  request: MetadataRequest,
  signal: AbortSignal,
  assignment: (version: VersionRecord) => Sql | null,
): Promise<void> {
  await retryOnCollision(() =>
    database.transaction({ signal }, async (connection) => {
      const version = await inspectMetadata(connection, request, await lockDefined(connection, request.path));
      const set = assignment(version);
      if (set !== null) await connection.execute(sql`update os_version set ${set} where id = ${version.id}`);
    }),
  );
}

function refuseOtherHash(known: KnownHash | null, given: Buffer): void {
  if (known !== null && !known.value.equals(given))
    throw new AppError('write_once', 'The content has another hash than this; a hash can be set only once.');
}
