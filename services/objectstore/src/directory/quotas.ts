import { AppError } from '@holdfast/http-kit';
import { type Connection, type Database, sql } from '@holdfast/pg-kit';
import { type CanonicalPath, pathsAbove } from '../naming/canonical-path.js';

/** Most that a namespace may hold, counted over everything beneath it. */
export interface QuotaLimit {
  readonly bytes: number | null;
  readonly objects: number | null;
}

/** Limits by path of the namespace. */
export type Quotas = ReadonlyMap<CanonicalPath, QuotaLimit>;

/**
 * Brings the table of uses in line with the configured quotas. Uses are counted once here and kept right by triggers, which exist only
 * while there is a quota: who has none pays nothing.
 */
export async function prepareQuotas(database: Database, quotas: Quotas): Promise<void> {
  const paths = [...quotas.keys()].sort();
  await database.transaction({}, async (connection) => {
    const kept = await connection.query<{ path: string }>(sql`select path from os_quota order by path`);
    if (JSON.stringify(kept.map(({ path }) => path)) === JSON.stringify(paths)) return;
    // nobody may change what is being counted
    await connection.execute(sql`lock table os_name, os_version, os_job, os_quota in share row exclusive mode`);
    await dropTriggers(connection);
    await connection.execute(sql`delete from os_quota`);
    if (paths.length === 0) return;
    for (const path of paths) await countUse(connection, path);
    await makeTriggers(connection);
  });
}

/**
 * Refuses, before any byte was sent, what would pass a quota (spec/objectstore.md 15).
 * @throws {AppError} `quota_exceeded`
 */
export async function refuseBeyondQuotas(
  connection: Connection,
  quotas: Quotas,
  path: CanonicalPath,
  more: { readonly bytes: number; readonly objects: number },
): Promise<void> {
  for (const use of await usesAbove(connection, quotas, path))
    refuse(quotas, use, { bytes: use.bytes + more.bytes, objects: use.objects + more.objects });
}

/** Judges what a transaction does to quotas. */
export interface QuotaWatch {
  /**
   * To be asked when everything is done; by then the uses are locked.
   * @throws {AppError} `quota_exceeded`
   */
  check(): Promise<void>;
}

/** Notes the uses at the beginning of a transaction: only one that adds to a use can pass a quota. */
export async function watchQuotas(connection: Connection, quotas: Quotas, path: CanonicalPath): Promise<QuotaWatch> {
  const before = new Map((await usesAbove(connection, quotas, path)).map((use) => [use.path, use]));
  return {
    check: async () => {
      for (const use of await usesAbove(connection, quotas, path)) {
        const old = before.get(use.path);
        if (old !== undefined && (use.bytes > old.bytes || use.objects > old.objects)) refuse(quotas, use, use);
      }
    },
  };
}

interface Use {
  readonly path: CanonicalPath;
  /** Stored versions and what open jobs have reserved. */
  readonly bytes: number;
  readonly objects: number;
}

async function usesAbove(connection: Connection, quotas: Quotas, path: CanonicalPath): Promise<readonly Use[]> {
  const paths = pathsAbove(path).filter((above) => quotas.has(above));
  if (paths.length === 0) return [];
  return connection.query<{ path: CanonicalPath; bytes: number; objects: number }>(
    sql`select path, (bytes + reserved)::float8 as bytes, objects::float8 as objects from os_quota
        where path = any(${paths}) order by path`,
  );
}

function refuse(quotas: Quotas, { path }: Use, use: { readonly bytes: number; readonly objects: number }): void {
  const limit = quotas.get(path);
  const name = path === '' ? 'the root' : path;
  if (limit === undefined) return;
  if (limit.bytes !== null && use.bytes > limit.bytes)
    throw new AppError(
      'quota_exceeded',
      `The quota of ${name} is ${limit.bytes} bytes; with this there would be ${use.bytes}. Delete something first.`,
    );
  if (limit.objects !== null && use.objects > limit.objects)
    throw new AppError(
      'quota_exceeded',
      `The quota of ${name} is ${limit.objects} objects; with this there would be ${use.objects}. Delete some first.`,
    );
}

async function countUse(connection: Connection, path: string): Promise<void> {
  const beneath = sql`starts_with(n.path, ${`${path}/`})`;
  await connection.execute(sql`insert into os_quota (path, bytes, objects, reserved) values (${path},
    (select coalesce(sum(v.bytes), 0) from os_version v join os_name n on n.id = v.name_id where v.blob_id is not null and ${beneath}),
    (select count(*) from os_name n where n.kind = 'object' and n.deleted_at is null and ${beneath}),
    (select coalesce(sum(j.content_length), 0) from os_job j join os_name n on n.id = j.name_id where ${beneath}))`);
}

async function dropTriggers(connection: Connection): Promise<void> {
  await connection.execute(sql`drop trigger if exists os_charge on os_name`);
  await connection.execute(sql`drop trigger if exists os_charge on os_version`);
  await connection.execute(sql`drop trigger if exists os_charge on os_job`);
}

async function makeTriggers(connection: Connection): Promise<void> {
  await connection.execute(sql`create trigger os_charge after insert or update of deleted_at on os_name
    for each row execute function os_charge_name()`);
  await connection.execute(sql`create trigger os_charge after insert or update of blob_id on os_version
    for each row execute function os_charge_version()`);
  await connection.execute(sql`create trigger os_charge after insert or delete on os_job
    for each row execute function os_charge_job()`);
}
