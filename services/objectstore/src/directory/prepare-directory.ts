import type { ModeLists } from '@holdfast/acl';
import { checkSchema, type Database, identifier, join, migrate, sql } from '@holdfast/pg-kit';
import { ROOT } from '../naming/canonical-path.js';
import { listColumn } from './columns.js';
import { namesVersionsBlobs } from './migrations/0001-names-versions-blobs.js';
import { uploadJobs } from './migrations/0002-upload-jobs.js';
import { quotasAndTasks } from './migrations/0003-quotas-and-tasks.js';

/**
 * Brings the database to the newest schema and, when it is empty, makes the root with the lists of the deployment. Later changes
 * of those lists go through the ACL API (spec/objectstore.md 1, `rootAcls`).
 * @param rootLists null when the deployment gives none
 * @throws when the root does not exist and nobody would own it
 */
export async function prepareDirectory(database: Database, rootLists: ModeLists | null): Promise<void> {
  await migrateDirectory(database);
  await database.transaction({}, async (connection) => {
    const root = await connection.query(sql`select from os_name where path = ${ROOT}`);
    if (root.length > 0) return;
    if (rootLists?.owner === undefined || rootLists.owner.length === 0)
      throw new Error('The object store is empty: set ROOT_ACLS with an "owner" list to start it the first time.');
    const lists = Object.entries(rootLists);
    await connection.execute(sql`insert into os_name (ancestors, path, kind, ${join(lists.map(([mode]) => identifier(listColumn(mode))))})
      values ('{}', ${ROOT}, 'namespace', ${join(lists.map(([, list]) => sql`${list}::text[]`))}) on conflict (path) do nothing`);
  });
}

const steps = [namesVersionsBlobs, uploadJobs, quotasAndTasks];

/** Brings the database to the newest schema. */
export async function migrateDirectory(database: Database): Promise<void> {
  await migrate(database, steps);
}

/** Rejects when the database does not answer, or is not the one that was prepared. */
export function checkDirectory(database: Database, signal: AbortSignal): Promise<void> {
  return checkSchema(database, steps, signal);
}
