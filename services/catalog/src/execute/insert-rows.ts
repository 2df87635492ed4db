import type { RightsEvaluator } from '@holdfast/acl';
import type { InsertPlan } from '../plan/insert-plan.js';
import { duplicateInputSql, insertedRows, insertSql } from '../sql/insert-sql.js';
import { refuseReferences } from './refuse-references.js';
import { suppliedRids } from './supplied-rids.js';
import { keepRows, refuseRepeated, type WriteParts, type WrittenRows } from './written-rows.js';

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
  const written = await keepRows(parts, plan, insertSql(plan, input.staging, change));
  const leases = (await rids?.settle(connection)) ?? [];
  return { ...written, tables: [...written.tables, ...leases] };
}
