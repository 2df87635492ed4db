import type { RightsEvaluator } from '@holdfast/acl';
import type { InsertPlan } from '../plan/insert-plan.js';
import { duplicateInputSql, insertedRows, insertSql } from '../sql/insert-sql.js';
import { refuseReferences } from './refuse-references.js';
import { suppliedRids } from './supplied-rids.js';
import { keepRows, refuseRepeated, type WriteParts, type WrittenRows } from './written-rows.js';

/**
 * A statement that inserts few rows or fails ends the change in the same message: then the writer lock is not held while this process
 * does other things. What many rows answer with may need a file, and what can go wrong there must not come after the commit.
 */
const FEW_ROWS = 100;

/** Inserts the staged rows (spec/catalog-data.md 7.3). */
export async function insertRows(parts: WriteParts, plan: InsertPlan, rights: RightsEvaluator): Promise<WrittenRows> {
  const { connection, change, input } = parts;
  if (plan.onConflict === 'abort' && plan.metakey.length > 0) {
    await refuseRepeated(
      parts,
      duplicateInputSql(plan.metakey, input.staging),
      plan.metakey.map(({ name }) => name),
    );
  }
  await refuseReferences(
    parts,
    { checks: plan.references, given: plan.fromInput, ...insertedRows(plan, input.staging) },
    plan.viewpoint,
  );
  const rids = suppliedRids(plan, input.staging, { rights, client: change.client });
  await rids?.check(connection);
  const certain = plan.onConflict === 'abort' && rids === null && input.rowCount > 0 && input.rowCount <= FEW_ROWS;
  const closing = certain ? parts.closing : null;
  const written = await keepRows(parts, plan, insertSql(plan, input.staging, change), closing);
  const leases = (await rids?.settle(connection)) ?? [];
  return { ...written, tables: [...written.tables, ...leases] };
}
