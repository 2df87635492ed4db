import { initialLists } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { type Connection, type Database, retryOnCollision, sql } from '@holdfast/pg-kit';
import { refusingAcls } from '../directory/acl-refusal.js';
import { bindName, type PutRequest } from '../directory/put-name.js';
import { type Quotas, watchQuotas } from '../directory/quotas.js';
import { leaveToJob } from '../directory/staged-blobs.js';
import { newVersionId } from '../directory/version-id.js';
import { discardStaged, type ReceivingParts } from '../transfer/receive-content.js';
import { type BegunParts, beginParts } from './begin-parts.js';
import type { JobRequest } from './job-request.js';

/** Most jobs at one time. */
export interface JobCounts {
  readonly perObject: number;
  readonly perClient: number;
}

/** What a new job is made of. */
export interface JobCreation {
  /** The name, as for a PUT of an object. */
  readonly put: PutRequest;
  /** Preconditions, judged now and again at the end. */
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly request: JobRequest;
  readonly counts: JobCounts;
  readonly quotas: Quotas;
}

/**
 * Creates an upload job and binds its object's name, still without a version (spec/objectstore.md 10.2), in one transaction.
 * @returns the job id
 * @throws {AppError} what a PUT would be refused for; `auth_required` for anonymous clients; `conflict`, `too_many` beyond the counts
 */
export async function createJob(parts: ReceivingParts, creation: JobCreation, signal: AbortSignal): Promise<string> {
  const { request } = creation;
  if (parts.store.parts?.fits(request) !== true) return insertJob(parts.database, creation, null, signal);
  const begun = await beginParts(parts, parts.store.parts, 'sent', signal);
  try {
    return await insertJob(parts.database, creation, begun, signal);
  } catch (error) {
    await discardStaged(parts, begun);
    throw error;
  }
}

async function insertJob(
  database: Database,
  creation: JobCreation,
  begun: BegunParts | null,
  signal: AbortSignal,
): Promise<string> {
  const { put, request, counts } = creation;
  const owner = refusingAcls(() => initialLists({ kind: 'job' }, put.caller.id)).owner ?? [];
  return retryOnCollision(() =>
    database.transaction({ signal }, async (connection) => {
      const quota = await watchQuotas(connection, creation.quotas, put.path);
      const { name } = await bindName(connection, { ...put, initialAcls: request.acls });
      await refuseTooMany(connection, name.id, put.caller.id, counts);
      const job = newVersionId();
      await connection.execute(sql`insert into os_job (name_id, job, chunk_length, content_length, content_type, disposition, md5,
          sha256, if_match, if_none_match, acl_owner, created_by, blob_id)
        values (${name.id}, ${job}, ${request.chunkLength}, ${request.contentLength}, ${request.contentType},
          ${request.disposition}, ${request.md5}, ${request.sha256}, ${creation.ifMatch ?? null},
          ${creation.ifNoneMatch ?? null}, ${owner}::text[], ${put.caller.id}, ${begun?.id ?? null}::uuid)`);
      if (begun !== null) await leaveToJob(connection, begun, begun.uploadId);
      await quota.check();
      return job;
    }),
  );
}

async function refuseTooMany(
  connection: Connection,
  nameId: string,
  client: string | null,
  counts: JobCounts,
): Promise<void> {
  const [row] = await connection.query<{ object: number; client: number }>(
    sql`select (select count(*) from os_job where name_id = ${nameId})::int as object,
               (select count(*) from os_job where created_by = ${client})::int as client`,
  );
  if ((row?.object ?? 0) >= counts.perObject)
    throw new AppError('conflict', `The object has ${counts.perObject} upload jobs already; finish or cancel one.`);
  if ((row?.client ?? 0) >= counts.perClient)
    throw new AppError('too_many', `You have ${counts.perClient} upload jobs already; finish or cancel one.`);
}
