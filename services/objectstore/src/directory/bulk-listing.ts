import { AppError } from '@holdfast/http-kit';
import { type Connection, type Sql, sql } from '@holdfast/pg-kit';
import type { Caller } from '../authorize/rights.js';
import { type CanonicalPath, shownPath, shownVersion, storedPath } from '../naming/canonical-path.js';
import { hashOf } from './columns.js';
import { grantPredicate } from './grant-predicate.js';
import { shownHash } from './metadata.js';
import type { NameRecord } from './records.js';

/** A place between two lines of a bulk listing: after this name, or after this version of it. */
export interface BulkPosition {
  readonly path: CanonicalPath;
  readonly version: string | null;
}

/** What a bulk listing shows (spec/objectstore.md 11). */
export interface BulkRequest {
  readonly of: 'names' | 'versions';
  readonly namespace: NameRecord;
  readonly caller: Caller;
  readonly recursive: boolean;
  /** Null: both. */
  readonly kind: 'namespace' | 'object' | null;
  readonly after: BulkPosition | null;
  readonly limit: number;
  /** Whether hashes that no client supplied are shown (7.3). */
  readonly computedHashes: boolean;
}

/**
 * Where the next page begins. Run it in the same snapshot as {@link bulkLines}.
 * @returns the position of the last line of this page, null when nothing comes after it
 * @throws {AppError} `bad_request` for a position after a version that never was
 */
export async function endOfBulkPage(connection: Connection, request: BulkRequest): Promise<BulkPosition | null> {
  const lines = await pageOf(connection, request, request.after, request.limit - 1, 2);
  const [last, more] = lines;
  return last === undefined || more === undefined ? null : positionOf(request, last);
}

/** Lines per query. */
const PAGE_ROWS = 1000;

/** The lines of a page as JSON texts, some at a time, in the order of paths, the versions of a name newest first. */
export async function* bulkLines(connection: Connection, request: BulkRequest, prefix: string): AsyncGenerator<Buffer> {
  let after = request.after;
  for (let left = request.limit; left > 0; left -= PAGE_ROWS) {
    const lines = await pageOf(connection, request, after, 0, Math.min(left, PAGE_ROWS));
    if (lines.length > 0)
      yield Buffer.from(lines.map((line) => `${JSON.stringify(documentOf(line, request, prefix))}\n`).join(''));
    const last = lines.at(-1);
    if (last === undefined || lines.length < PAGE_ROWS) return;
    after = positionOf(request, last);
  }
}

interface NameLine {
  readonly path: string;
  readonly kind: 'namespace' | 'object';
  readonly created: string;
  readonly current: string | null;
}

interface VersionLine {
  readonly path: string;
  readonly version: string;
  readonly bytes: number;
  readonly content_type: string | null;
  readonly md5: Buffer | null;
  readonly sha256: Buffer | null;
  readonly md5_declared: boolean;
  readonly sha256_declared: boolean;
  readonly created: string;
  readonly current: boolean;
  readonly forward_path: string | null;
  readonly forward_version: string | null;
}

function positionOf(request: BulkRequest, line: NameLine | VersionLine): BulkPosition {
  const version = request.of === 'versions' && 'version' in line ? line.version : null;
  return { path: storedPath(line.path), version };
}

async function pageOf(
  connection: Connection,
  request: BulkRequest,
  after: BulkPosition | null,
  skip: number,
  limit: number,
): Promise<readonly (NameLine | VersionLine)[]> {
  const page = sql`offset ${skip} limit ${limit}`;
  const beneath = namesBeneath(request);
  if (request.of === 'names')
    return connection.query<NameLine>(
      sql`select n.path, n.kind, ${instant('n.created_at')} as created, c.version as current from os_name n
          left join lateral (select version from os_version v where v.name_id = n.id and v.state = 'live' order by seq desc limit 1) c on true
          where ${beneath} and n.path > ${after?.path ?? ''}${request.kind === null ? sql`` : sql` and n.kind = ${request.kind}`}
          order by n.path ${page}`,
    );
  const seq = after === null ? null : await seqOf(connection, after);
  const beyond =
    after === null ? sql`true` : sql`(n.path > ${after.path} or (n.path = ${after.path} and v.seq < ${seq}::bigint))`;
  return connection.query<VersionLine>(
    sql`select n.path, v.version, v.bytes::float8 as bytes, v.content_type, v.md5, v.sha256, v.md5_declared, v.sha256_declared,
          ${instant('v.created_at')} as created,
          v.seq = (select max(seq) from os_version c where c.name_id = n.id and c.state = 'live') as current,
          fn.path as forward_path, f.version as forward_version
        from os_name n join os_version v on v.name_id = n.id and v.state = 'live'
        left join os_version f on f.id = v.forward_to left join os_name fn on fn.id = f.name_id
        where ${beneath} and n.kind = 'object' and n.path >= ${after?.path ?? ''} and ${beyond}
          and ${grantPredicate('list-versions', request.caller)}
        order by n.path, v.seq desc ${page}`,
  );
}

/**
 * The defined names that are shown, `n`: the children, or everything beneath as far as the client may list each namespace on the
 * way. Paths beneath are one range of the index: from the slash to the character after it.
 */
function namesBeneath({ namespace, recursive, caller }: BulkRequest): Sql {
  if (!recursive) return sql`n.parent_id = ${namespace.id} and n.deleted_at is null`;
  const depth = namespace.ancestors.length + 1;
  return sql`n.path > ${`${namespace.path}/`} and n.path < ${`${namespace.path}0`} and n.deleted_at is null
    and not exists (select from os_name p where p.id = any(n.ancestors[${depth + 1}::int:])
      and not ${grantPredicate('list-namespace', caller, 'p')})`;
}

function instant(column: 'n.created_at' | 'v.created_at'): Sql {
  const value = column === 'n.created_at' ? sql`n.created_at` : sql`v.created_at`;
  return sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** A version may have been deleted since it was shown: its row is still there. */
async function seqOf(connection: Connection, after: BulkPosition): Promise<string> {
  const [row] = await connection.query<{ seq: string }>(
    sql`select v.seq from os_version v join os_name n on n.id = v.name_id where n.path = ${after.path} and v.version = ${after.version}`,
  );
  if (row === undefined) throw new AppError('bad_request', 'after names a version that never was.');
  return row.seq;
}

function documentOf(line: NameLine | VersionLine, request: BulkRequest, prefix: string): Record<string, unknown> {
  const path = storedPath(line.path);
  if (!('version' in line)) {
    const { kind, created, current } = line;
    return { name: shownPath(prefix, path), kind, created, current };
  }
  const forward = line.forward_path;
  return {
    name: shownPath(prefix, path),
    version: line.version,
    bytes: line.bytes,
    'content-type': line.content_type,
    'content-md5': shownHash(hashOf(line.md5, line.md5_declared), request.computedHashes),
    'content-sha256': shownHash(hashOf(line.sha256, line.sha256_declared), request.computedHashes),
    created: line.created,
    current: line.current,
    forward_to: forward === null ? null : shownVersion(prefix, storedPath(forward), line.forward_version ?? ''),
  };
}
