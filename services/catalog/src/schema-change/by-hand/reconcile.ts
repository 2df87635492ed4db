import type { Logger } from '@holdfast/http-kit';
import { type Connection, type Database, retryOnCollision, sql } from '@holdfast/pg-kit';
import { beginChange, type Change, recordSnapshot } from '../../history/change.js';
import { stringifyExact } from '../../model/exact-numbers.js';
import { removeMisfits } from '../binding-users.js';
import { closeElements, insertElements, moveElement } from '../element-store.js';
import { followModel } from '../history-capture.js';
import { compareWithDatabase } from './compare.js';
import type { Differences, ElementChange, StructureRow } from './comparison.js';
import { readDatabase } from './read-database.js';

/** Readers wait for the comparison, so it does not wait long for a writer: the model that is known serves until then. */
const LOCK_WAIT_MILLISECONDS = 2_000;

/**
 * Brings the model up to what an operator has made of the database (spec/catalog-model.md 17). A failure is logged: what an operator
 * does must not close the catalog.
 * @returns false when it failed; the mark of the change stays for another attempt
 */
export async function followChangesByHand(database: Database, log: Logger): Promise<boolean> {
  try {
    await reconcile(database, log);
    return true;
  } catch (error) {
    log.error({ err: error }, 'the model does not follow a change of its database by hand yet');
    return false;
  }
}

/**
 * Under the writer lock, as one snapshot of its own, whether or not something is different: the rows a view shows may be others now.
 */
async function reconcile(database: Database, log: Logger): Promise<void> {
  await retryOnCollision(() =>
    database.transaction({}, async (connection) => {
      const change = await beginChange(connection, null, LOCK_WAIT_MILLISECONDS);
      // another process may have been faster
      if ((await connection.execute(sql`delete from _catalog.by_hand`)) === 0) return;
      const differences = await findDifferences(connection);
      await apply(connection, change, differences);
      const misfits = await removeMisfits(connection, change);
      await followModel(connection, change);
      await recordSnapshot(connection, change, { model: true, tables: [] });
      const { added, changed, gone, hidden } = differences;
      const counts = { added: added.length, changed: changed.length, gone: gone.length };
      log.info(counts, 'the model follows a change of its database by hand');
      for (const what of misfits) log.warn({ what }, 'a binding does not fit its columns any more');
      for (const what of hidden) log.warn({ what }, 'the model cannot show a part of the database');
    }),
  );
}

/** Compares twice: what is new is counted first, so that RIDs are drawn at once and none in vain. */
async function findDifferences(connection: Connection): Promise<Differences> {
  const rows = await connection.query<StructureRow>(
    sql`select rid, kind, parent, doc from _catalog.elem
         where hi = 'infinity' and kind in ('schema', 'table', 'column', 'key', 'foreign_key')`,
  );
  const database = await readDatabase(connection);
  const restored = await isRestored(connection);
  let count = 0;
  const nameless = (): string => {
    count += 1;
    return `new ${count}`;
  };
  compareWithDatabase(rows, database, { restored, nextRid: nameless });
  const drawn = await connection.query<{ readonly rid: string }>(
    sql`select _catalog.next_rid() as rid from generate_series(1, ${count})`,
  );
  const rids = drawn.map(({ rid }) => rid).reverse();
  return compareWithDatabase(rows, database, { restored, nextRid: () => rids.pop() ?? nameless() });
}

/** Whether this database was made from a dump since OIDs were noted; from now on they hold here. */
async function isRestored(connection: Connection): Promise<boolean> {
  const moved = await connection.execute(
    sql`update _catalog.origin set mark = _catalog.present_origin() where mark <> _catalog.present_origin()`,
  );
  return moved > 0;
}

async function apply(connection: Connection, change: Change, differences: Differences): Promise<void> {
  const { added, changed, gone, retied } = differences;
  await closeElements(connection, change, gone);
  await replaceDocuments(
    connection,
    change,
    changed.filter(({ members }) => Object.keys(members).length > 0),
  );
  for (const { rid, parent, moved } of changed) if (moved) await moveElement(connection, change, rid, parent);
  await insertElements(connection, change, added);
  const ties = [...new Set([...retied, ...changed.map(({ rid }) => rid)])];
  if (ties.length > 0) await connection.execute(sql`select _catalog.tie_elements(${ties}::text[])`);
}

/** A new version of each element, with the new members of its document. */
async function replaceDocuments(
  connection: Connection,
  change: Change,
  changes: readonly ElementChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await connection.execute(
    sql`with given as (
          select * from jsonb_to_recordset(${stringifyExact(changes)}::jsonb)
            as given (rid text, kind text, members jsonb)),
        old as (
          update _catalog.elem e set hi = ${change.ts}::timestamptz from given g
           where e.rid = g.rid and e.kind = g.kind and e.hi = 'infinity'
          returning e.rid, e.kind, e.parent, e.doc || g.members as doc)
        insert into _catalog.elem (rid, kind, parent, lo, doc)
          select rid, kind, parent, ${change.ts}::timestamptz, doc from old`,
  );
}
