import { initialLists, type ModeLists } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { type Connection, type Database, identifier, join, retryOnCollision, sql } from '@holdfast/pg-kit';
import { authorize, type Caller } from '../authorize/rights.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import type { RenameRequest } from '../naming/rename-request.js';
import { listColumn, type VersionRow, versionColumns, versionOf } from './columns.js';
import { type DefinedPlace, findDefined, findPlace } from './find-place.js';
import { listsAt } from './lists-at.js';
import { lockDefined } from './lock-name.js';
import { bindName, type PutRequest } from './put-name.js';
import { type Quotas, watchQuotas } from './quotas.js';
import type { NameRecord, RowId, VersionRecord } from './records.js';

/** A rename: what the new name is asked for, and which versions of which object come under it. */
export interface Renaming {
  readonly put: PutRequest;
  readonly command: RenameRequest;
  readonly quotas: Quotas;
}

/**
 * Gives versions of an object to another name, which has their bytes from then on; the old versions lead there. No byte is read or
 * moved (spec/objectstore.md 9.3). Everything or nothing, in one transaction.
 * @returns ids of the versions made, oldest first; empty when all was done before
 * @throws {AppError} `conflict` for a source that cannot be renamed, `forbidden`, and what a PUT of the name would be refused for
 */
export async function renameObject(
  database: Database,
  renaming: Renaming,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { put, command, quotas } = renaming;
  return retryOnCollision(() =>
    database.transaction({ signal }, async (connection) => {
      const quota = await watchQuotas(connection, quotas, put.path);
      const { source, target } = await lockBoth(connection, put, await findSource(connection, command.sources));
      authorize('rename-from', listsAt(source), put.caller);
      if (command.copyAcls) await copyLists(connection, source.target, target);
      const made: string[] = [];
      for (const version of await selectVersions(connection, source.target, command.versions)) {
        if (await forward(connection, version, target, listsFor(version, target, command, put.caller), put.caller))
          made.push(version.version);
      }
      await quota.check();
      return made;
    }),
  );
}

/** 9.2: one defined object, or none. */
async function findSource(connection: Connection, sources: readonly CanonicalPath[]): Promise<NameRecord> {
  const found: NameRecord[] = [];
  for (const path of sources) {
    const { target } = await findPlace(connection, path);
    if (target !== null && !target.deleted && target.kind === 'object') found.push(target);
  }
  const [source, other] = found;
  if (source === undefined) throw new AppError('conflict', 'There is no object of the name that source_name gives.');
  if (other !== undefined)
    throw new AppError('conflict', 'source_name means one object with the prefix of the service and another without.');
  return source;
}

/** Locks in the order of ids, so that two renames in opposite directions wait instead of colliding. */
async function lockBoth(
  connection: Connection,
  put: PutRequest,
  source: NameRecord,
): Promise<{ readonly source: DefinedPlace; readonly target: NameRecord }> {
  if (source.path === put.path) throw new AppError('conflict', 'An object cannot be renamed to its own name.');
  const existing = (await findPlace(connection, put.path)).target;
  if (existing !== null && BigInt(existing.id) < BigInt(source.id)) {
    const { name } = await bindName(connection, put);
    return { source: await lockSource(connection, source.path), target: name };
  }
  const locked = await lockSource(connection, source.path);
  return { source: locked, target: (await bindName(connection, put)).name };
}

async function lockSource(connection: Connection, path: CanonicalPath): Promise<DefinedPlace> {
  const gone = (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw new AppError('conflict', 'The object to be renamed was deleted meanwhile.', { cause: error });
  };
  await lockDefined(connection, path).catch(gone);
  return findDefined(connection, path).catch(gone);
}

/** The chosen versions in the order in which they were made, whatever order the client gives. */
async function selectVersions(
  connection: Connection,
  source: NameRecord,
  chosen: readonly string[] | null,
): Promise<readonly VersionRecord[]> {
  const which = chosen === null ? sql`` : sql` and v.version = any(${chosen})`;
  const rows = await connection.query<VersionRow>(
    sql`select ${versionColumns} from os_version v left join os_blob b on b.id = v.blob_id
        where v.name_id = ${source.id} and v.state = 'live'${which} order by v.seq`,
  );
  if (chosen !== null && rows.length !== chosen.length)
    throw new AppError('conflict', 'source_versions names a version that the object does not have.');
  return rows.map(versionOf);
}

/**
 * Moves one version.
 * @returns false when it is there already, by an earlier rename
 */
async function forward(
  connection: Connection,
  version: VersionRecord,
  target: NameRecord,
  lists: ModeLists,
  caller: Caller,
): Promise<boolean> {
  const same = await connection.query<{ id: RowId<'version'> }>(
    sql`select id from os_version where name_id = ${target.id} and version = ${version.version}`,
  );
  if (version.content.kind === 'forwarded') {
    const there = version.content.to;
    if (same.some(({ id }) => id === there)) return false;
    throw new AppError('conflict', `Version ${version.version} was renamed to another name before.`);
  }
  if (same.length > 0)
    throw new AppError('conflict', `The new name has, or had, a version ${version.version} of its own.`);
  // the bytes leave the old version before the new one takes them: one version has them at any time
  const [moved] = await connection.query<{ id: string; blob_id: string }>(
    sql`update os_version v set forward_to = nextval(pg_get_serial_sequence('os_version', 'id')), blob_id = null
        from (select id, blob_id from os_version where id = ${version.id}) old where v.id = old.id
        returning v.forward_to as id, old.blob_id`,
  );
  if (moved === undefined) throw new TypeError('a locked version has gone');
  await connection.execute(sql`insert into os_version (id, name_id, seq, version, state, bytes, content_type, disposition, md5, sha256,
      md5_declared, sha256_declared, blob_id, renamed_from, acl_owner, acl_read, created_by)
    overriding system value
    select ${moved.id}, ${target.id}, (select coalesce(max(seq), 0) + 1 from os_version where name_id = ${target.id}),
      version, 'live', bytes, content_type, disposition, md5, sha256, md5_declared, sha256_declared, ${moved.blob_id}::uuid, id,
      ${lists.owner ?? []}::text[], ${lists.read ?? []}::text[], ${caller.id}
    from os_version where id = ${version.id}`);
  return true;
}

function listsFor(version: VersionRecord, target: NameRecord, command: RenameRequest, caller: Caller): ModeLists {
  return command.copyAcls ? version.lists : initialLists({ kind: 'later-version', object: target.lists }, caller.id);
}

async function copyLists(connection: Connection, source: NameRecord, target: NameRecord): Promise<void> {
  const assignments = Object.entries(source.lists).map(
    ([mode, list]) => sql`${identifier(listColumn(mode))} = ${list}::text[]`,
  );
  await connection.execute(sql`update os_name set ${join(assignments)} where id = ${target.id}`);
}
