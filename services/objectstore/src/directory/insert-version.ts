import { initialLists } from '@holdfast/acl';
import { type Connection, sql } from '@holdfast/pg-kit';
import type { Caller } from '../authorize/rights.js';
import type { NameRecord } from './records.js';
import { publishBlob, type StagedBlob } from './staged-blobs.js';
import { newVersionId } from './version-id.js';

/** Content that is durable but not yet visible. */
export interface NewContent {
  readonly blob: StagedBlob;
  readonly bytes: number;
  readonly md5: Buffer;
  readonly sha256: Buffer;
  readonly md5Declared: boolean;
  readonly sha256Declared: boolean;
  readonly contentType: string | null;
  readonly disposition: string | null;
}

/**
 * Makes content visible as the newest version of an object. The caller holds the lock of the name, so that the order of versions is
 * the order of commits (spec/objectstore.md 14).
 * @param madeWithObject whether the object came into being in the same transaction: the first version takes its lists
 * @returns the version id
 */
export async function insertVersion(
  connection: Connection,
  object: NameRecord,
  madeWithObject: boolean,
  content: NewContent,
  caller: Caller,
): Promise<string> {
  const kind = madeWithObject ? 'first-version' : 'later-version';
  const lists = initialLists({ kind, object: object.lists }, caller.id);
  const version = newVersionId();
  await publishBlob(connection, content.blob, content);
  await connection.execute(sql`insert into os_version (name_id, seq, version, state, bytes, content_type, disposition, md5, sha256,
      md5_declared, sha256_declared, blob_id, acl_owner, acl_read, created_by)
    select ${object.id}, coalesce(max(seq), 0) + 1, ${version}, 'live', ${content.bytes}, ${content.contentType},
      ${content.disposition}, ${content.md5}, ${content.sha256}, ${content.md5Declared}, ${content.sha256Declared},
      ${content.blob.id}, ${lists.owner ?? []}::text[], ${lists.read ?? []}::text[], ${caller.id}
    from os_version where name_id = ${object.id}`);
  return version;
}
