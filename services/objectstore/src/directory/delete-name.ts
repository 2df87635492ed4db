import { AppError } from '@holdfast/http-kit';
import { type Connection, type Database, retryOnCollision, type Sql, sql } from '@holdfast/pg-kit';
import { authorize, type Caller, refused } from '../authorize/rights.js';
import { type CanonicalPath, ROOT } from '../naming/canonical-path.js';
import type { Conditions } from './conditions.js';
import { type DefinedPlace, findDefined } from './find-place.js';
import { findCurrentVersion } from './find-version.js';
import { grantPredicate } from './grant-predicate.js';
import { namespaceTag } from './list-children.js';
import { listsAt } from './lists-at.js';
import type { NameRecord } from './records.js';
import { removeJobs } from './remove-jobs.js';

/** A DELETE of a namespace or object. */
export interface DeleteRequest {
  readonly path: CanonicalPath;
  readonly caller: Caller;
  readonly conditions: Conditions;
  /** `bulk`: a namespace goes with everything beneath it, or stays whole (spec/objectstore.md 12.3). */
  readonly nonEmpty: 'reject' | 'bulk';
  /** Most names one bulk deletion may take. */
  readonly mostNames: number;
}

/**
 * Deletes a name for ever: versions first, bytes queued for removal, the name kept as a tombstone, all in one transaction
 * (spec/objectstore.md 12.2, 12.3).
 * @throws {AppError} `not_found`, `forbidden` when any part may not be deleted, `precondition_failed`, `namespace_not_empty`
 */
export async function deleteName(database: Database, request: DeleteRequest, signal: AbortSignal): Promise<void> {
  // 4.3: nobody deletes the root
  if (request.path === ROOT) throw refused(request.caller);
  await retryOnCollision(() =>
    database.transaction({ signal }, async (connection) => {
      const place = await lockedForDeletion(connection, request.path);
      if (place.target.kind === 'object') await deleteObject(connection, place, request);
      else await deleteNamespace(connection, place, request);
    }),
  );
}

async function lockedForDeletion(connection: Connection, path: CanonicalPath): Promise<DefinedPlace> {
  const place = await findDefined(connection, path);
  await connection.query(sql`select from os_name where id = ${place.target.id} for update`);
  return findDefined(connection, path);
}

async function deleteObject(connection: Connection, place: DefinedPlace, request: DeleteRequest): Promise<void> {
  authorize('delete-object', listsAt(place), request.caller);
  const itself = sql`n.id = ${place.target.id}`;
  await refuseUnlessVersionsMayGo(connection, itself, request.caller);
  if (request.conditions.present) {
    const current = await findCurrentVersion(connection, place.target);
    request.conditions.check(current === null ? null : `"${current.version}"`);
  }
  await bury(connection, itself);
}

async function deleteNamespace(connection: Connection, place: DefinedPlace, request: DeleteRequest): Promise<void> {
  const { target } = place;
  authorize('delete-namespace', listsAt(place), request.caller);
  if (request.conditions.present) request.conditions.check(await namespaceTag(connection, target));
  const tree = sql`(n.id = ${target.id} or n.ancestors @> array[${target.id}::bigint])`;
  if (request.nonEmpty === 'reject') await refuseUnlessEmpty(connection, target);
  else {
    await lockTree(connection, tree, request.mostNames);
    await refuseUnlessNamesMayGo(connection, tree, request.caller);
    await refuseUnlessVersionsMayGo(connection, tree, request.caller);
  }
  await bury(connection, tree);
}

async function refuseUnlessEmpty(connection: Connection, namespace: NameRecord): Promise<void> {
  const children = await connection.query(
    sql`select from os_name where parent_id = ${namespace.id} and deleted_at is null limit 1`,
  );
  if (children.length > 0) throw new AppError('namespace_not_empty', 'The namespace has children; delete them first.');
}

/**
 * Locks every name of a tree. A child may have been made while we waited for the lock of its parent, so it looks again until
 * nothing new turns up; by then every namespace is locked and no child can be made.
 */
async function lockTree(connection: Connection, tree: Sql, mostNames: number): Promise<void> {
  for (let known = -1; ; ) {
    const rows = await connection.query(
      sql`select n.id from os_name n where ${tree} and n.deleted_at is null order by n.id limit ${mostNames + 1} for update`,
    );
    if (rows.length > mostNames)
      throw new AppError('conflict', `There are more than ${mostNames} names beneath; delete parts of it first.`);
    if (rows.length === known) return;
    known = rows.length;
  }
}

async function refuseUnlessNamesMayGo(connection: Connection, tree: Sql, caller: Caller): Promise<void> {
  const forbidden =
    await connection.query(sql`select from os_name n where ${tree} and n.deleted_at is null and not case n.kind
      when 'namespace' then ${grantPredicate('delete-namespace', caller)}
      else ${grantPredicate('delete-object', caller)} end limit 1`);
  if (forbidden.length > 0) throw refused(caller);
}

async function refuseUnlessVersionsMayGo(connection: Connection, names: Sql, caller: Caller): Promise<void> {
  const forbidden = await connection.query(sql`select from os_version v join os_name n on n.id = v.name_id
    where ${names} and v.state = 'live' and not ${grantPredicate('delete-version', caller)} limit 1`);
  if (forbidden.length > 0) throw refused(caller);
}

/** Versions and upload jobs away, bytes queued for removal, names turned into tombstones. */
async function bury(connection: Connection, names: Sql): Promise<void> {
  await buryVersions(
    connection,
    sql`v.name_id in (select n.id from os_name n where ${names} and n.deleted_at is null)`,
  );
  await removeJobs(connection, sql`j.name_id in (select n.id from os_name n where ${names} and n.deleted_at is null)`);
  await connection.execute(sql`update os_name n set deleted_at = now() where ${names} and n.deleted_at is null`);
}

/** Marks versions deleted and their bytes doomed; `v` is `os_version`. The sweeper removes the bytes after the grace time. */
export async function buryVersions(connection: Connection, which: Sql): Promise<void> {
  await connection.execute(sql`with gone as (select v.id, v.blob_id from os_version v where ${which} and v.state = 'live'),
    doomed as (update os_blob set state = 'doomed', doomed_at = now() where id in (select blob_id from gone))
    update os_version set state = 'deleted', blob_id = null, forward_to = null where id in (select id from gone)`);
}
