import { sql } from '@holdfast/pg-kit';
import { refusedRow } from '../authorize/authorize-change.js';
import type { UpsertPlan } from '../plan/upsert-plan.js';
import {
  addFreshRowsSql,
  changedRows,
  freshRows,
  insertFreshSql,
  matched,
  matchSql,
  refusedMatchSql,
  repeatedKeySql,
  updateMatchedSql,
  writtenRowsSql,
} from '../sql/upsert-sql.js';
import { refuseReferences } from './refuse-references.js';
import {
  keepRows,
  knowingNulls,
  overStage,
  refuseRepeated,
  type WriteParts,
  type WrittenRows,
} from './written-rows.js';

/**
 * Updates the staged rows that are stored and inserts the others, decided for all of them against the state before the request
 * (spec/catalog-data.md 7.4). Foreign keys are looked at when everything is in place.
 */
export async function upsertRows(parts: WriteParts, plan: UpsertPlan): Promise<WrittenRows> {
  const { connection, change } = parts;
  const staging = await knowingNulls(
    parts,
    plan.metakey.map((column) => ({ column, input: column })),
  );
  await refuseRepeated(
    parts,
    repeatedKeySql(plan.metakey, staging),
    plan.metakey.map(({ name }) => name),
  );
  await overStage(parts, sql`drop table if exists ${matched}`);
  await overStage(parts, matchSql(plan, staging));
  if (plan.stored.checks.length > 0 && (await overStage(parts, refusedMatchSql(plan))) > 0)
    throw refusedRow(plan.table, 'update');
  const fresh = await overStage(parts, addFreshRowsSql(staging));
  if (fresh > 0) plan.authorizeNewRows();
  const { viewpoint } = plan.stored;
  const placed = (kind: 'update' | 'insert') => ({ checks: plan.references[kind], given: plan.fromInput });
  await refuseReferences(parts, { ...placed('update'), ...changedRows(plan, staging) }, viewpoint);
  if (fresh > 0) await refuseReferences(parts, { ...placed('insert'), ...freshRows(plan, staging) }, viewpoint);
  await connection.client.query('set constraints all deferred');
  await overStage(parts, updateMatchedSql(plan, staging, change));
  if (fresh > 0) await overStage(parts, insertFreshSql(plan, staging, change));
  await overStage(parts, sql`set constraints all immediate`);
  const written = await keepRows(parts, plan, writtenRowsSql(plan));
  await overStage(parts, sql`drop table ${matched}`);
  return written;
}
