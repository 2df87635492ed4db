import type { Logger } from '@holdfast/http-kit';
import { type Connection, type Database, sql } from '@holdfast/pg-kit';
import type { BlobStore, StoredItem } from '../blobs/blob-store.js';
import { parseBlobKey } from '../naming/blob-key.js';

/** What reconciling works on. */
export interface ReconcileParts {
  readonly database: Database;
  readonly store: BlobStore;
  readonly log: Logger;
}

/** Outcome of a reconciliation. */
export interface ReconcileReport {
  /** Things in the store that no row knew, removed. */
  readonly removed: number;
  /** Rows of live blobs whose bytes are not in the store. */
  readonly missing: number;
}

/** Younger things may belong to somebody who is just writing the row. */
const LEAST_AGE_HOURS = 48;

const BATCH = 500;
const LOOKS_AT_ONCE = 16;

/**
 * Compares the store with the rows (spec/objectstore.md 13.5): what no row knows and is older than 48 hours is removed; rows whose
 * bytes are missing are reported and left alone.
 */
export async function reconcile(parts: ReconcileParts, now: Date, signal: AbortSignal): Promise<ReconcileReport> {
  const oldest = now.getTime() - LEAST_AGE_HOURS * 3_600_000;
  let removed = 0;
  for await (const item of unknownItems(parts.database, parts.store, signal)) {
    if (item.modified.getTime() > oldest) continue;
    await item.remove();
    removed += 1;
    parts.log.warn({ blob: item.id, modified: item.modified }, 'removed bytes that no row knew');
  }
  let missing = 0;
  for await (const blob of missingBlobs(parts, signal)) {
    missing += 1;
    parts.log.error({ blob: blob.id }, 'THE BYTES OF A VERSION ARE MISSING');
  }
  return { removed, missing };
}

async function* missingBlobs({ database, store }: ReconcileParts, signal: AbortSignal): AsyncGenerator<LiveBlob> {
  for await (const some of inGroups(liveBlobs(database, store.adapter, signal), LOOKS_AT_ONCE)) {
    signal.throwIfAborted();
    const looks = await Promise.all(
      some.map(async (blob) => ({ blob, found: await store.stat(parseBlobKey(blob.key)) })),
    );
    for (const { blob, found } of looks) {
      // it may have been deleted while we looked
      if (found === null && (await stillLive(database, blob.id))) yield blob;
    }
  }
}

/** What is in a store and belongs to no row, looked up some at a time. */
export async function* unknownItems(
  database: Database,
  store: BlobStore,
  signal: AbortSignal,
): AsyncGenerator<StoredItem> {
  for await (const batch of inGroups(store.list(), BATCH)) yield* withoutRow(database, batch, signal);
}

async function* inGroups<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<readonly Item[]> {
  let group: Item[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function* withoutRow(
  database: Database,
  items: readonly StoredItem[],
  signal: AbortSignal,
): AsyncGenerator<StoredItem> {
  // the row is there before the bytes and goes after them: whoever has no row now had none when it was listed, or is gone
  const rows = await database.withConnection(signal, (connection) =>
    connection.query<{ id: string }>(sql`select id from os_blob where id = any(${items.map(({ id }) => id)}::uuid[])`),
  );
  const known = new Set(rows.map(({ id }) => id));
  for (const item of items) if (!known.has(item.id)) yield item;
}

/** A blob that a version or a chunk has. */
export interface LiveBlob {
  readonly id: string;
  readonly key: string;
  readonly bytes: number;
  readonly md5: Buffer | null;
  readonly sha256: Buffer | null;
}

/** All live blobs of an adapter in the order of their ids, read page by page without holding a connection. */
export async function* liveBlobs(database: Database, adapter: string, signal: AbortSignal): AsyncGenerator<LiveBlob> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const rows = await database.withConnection(signal, (connection) =>
      connection.query<LiveBlob>(
        sql`select id, key, bytes::float8 as bytes, md5, sha256 from os_blob
            where state = 'live' and adapter = ${adapter} and id > ${after}::uuid order by id limit ${BATCH}`,
      ),
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** Whether a blob is live still. */
export async function stillLive(database: Database, id: string): Promise<boolean> {
  const rows = await database.withConnection(null, (connection: Connection) =>
    connection.query(sql`select from os_blob where id = ${id}::uuid and state = 'live'`),
  );
  return rows.length === 1;
}
