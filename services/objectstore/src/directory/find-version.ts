import { AppError } from '@holdfast/http-kit';
import { type Connection, sql } from '@holdfast/pg-kit';
import { type VersionRow, versionColumns, versionOf } from './columns.js';
import type { NameRecord, VersionRecord } from './records.js';

/** The current version of an object: the newest that is defined. Null when there is none. */
export async function findCurrentVersion(connection: Connection, object: NameRecord): Promise<VersionRecord | null> {
  const [row] = await connection.query<VersionRow>(
    sql`select ${versionColumns} from os_version v left join os_blob b on b.id = v.blob_id
        where v.name_id = ${object.id} and v.state = 'live' order by v.seq desc limit 1`,
    { prepared: 'current-version' },
  );
  return row === undefined ? null : versionOf(row);
}

/**
 * The version that a URL addresses: a named one, or the current one.
 * @param version null for the current one
 * @throws {AppError} `not_found` for an unknown or deleted version and for namespaces, `no_current_version` when there is none
 */
export async function findVersion(
  connection: Connection,
  name: NameRecord,
  version: string | null,
): Promise<VersionRecord> {
  if (name.kind === 'namespace') throw new AppError('not_found', 'A namespace has neither versions nor metadata.');
  if (version === null) {
    const current = await findCurrentVersion(connection, name);
    if (current === null)
      throw new AppError('no_current_version', 'The object has no version at present; PUT content to it first.');
    return current;
  }
  const [row] = await connection.query<VersionRow>(
    sql`select ${versionColumns} from os_version v left join os_blob b on b.id = v.blob_id
        where v.name_id = ${name.id} and v.version = ${version} and v.state = 'live'`,
    { prepared: 'named-version' },
  );
  if (row === undefined) throw new AppError('not_found', 'The object has no such version, or it was deleted.');
  return versionOf(row);
}
