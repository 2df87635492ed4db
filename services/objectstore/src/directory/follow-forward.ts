import { AppError } from '@holdfast/http-kit';
import { type Connection, sql } from '@holdfast/pg-kit';
import { storedPath } from '../naming/canonical-path.js';
import { type DefinedPlace, findDefined } from './find-place.js';
import { findVersion } from './find-version.js';
import type { VersionRecord } from './records.js';

/** A version with the name it is under. */
export interface PlacedVersion {
  readonly place: DefinedPlace;
  readonly version: VersionRecord;
}

/** Longest chain of renames that is followed (spec/objectstore.md 9.4). */
const MOST_STEPS = 64;

/**
 * The version that has the bytes: itself, or the end of the chain of renames.
 * @throws {AppError} `renamed_target_gone` when the end of the chain was deleted
 */
export async function followForward(connection: Connection, from: PlacedVersion): Promise<PlacedVersion> {
  const { content } = from.version;
  if (content.kind === 'here') return from;
  const [end] = await connection.query<{ path: string; version: string; live: boolean }>(
    sql`with recursive chain as (
          select ${content.to}::bigint as id, 1 as step
          union all
          select v.forward_to, step + 1 from chain join os_version v on v.id = chain.id
          where v.forward_to is not null and step < ${MOST_STEPS})
        select n.path, v.version, v.blob_id is not null and n.deleted_at is null as live
        from chain join os_version v on v.id = chain.id join os_name n on n.id = v.name_id order by step desc limit 1`,
    { prepared: 'follow-forward' },
  );
  if (end === undefined || !end.live)
    throw new AppError('renamed_target_gone', 'The content was renamed, and under its new name it was deleted.');
  const place = await findDefined(connection, storedPath(end.path));
  return { place, version: await findVersion(connection, place.target, end.version) };
}
