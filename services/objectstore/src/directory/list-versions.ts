import { type Connection, sql } from '@holdfast/pg-kit';
import type { NameRecord } from './records.js';

const PAGE_ROWS = 1000;

/** Ids of the defined versions of an object, newest first (spec/objectstore.md 6.5), page by page. */
export async function* listVersions(connection: Connection, object: NameRecord): AsyncGenerator<readonly string[]> {
  let before: string | null = null;
  for (;;) {
    const rows: readonly { seq: string; version: string }[] = await connection.query(
      sql`select seq, version from os_version
          where name_id = ${object.id} and state = 'live' and (${before}::bigint is null or seq < ${before}::bigint)
          order by seq desc limit ${PAGE_ROWS}`,
      { prepared: 'list-versions' },
    );
    if (rows.length > 0) yield rows.map(({ version }) => version);
    if (rows.length < PAGE_ROWS) return;
    before = rows.at(-1)?.seq ?? null;
  }
}
