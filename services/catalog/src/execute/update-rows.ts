import { AppError } from '@holdfast/http-kit';
import { inline, sql } from '@holdfast/pg-kit';
import { refusedRow } from '../authorize/authorize-change.js';
import type { UpdatePlan } from '../plan/update-plan.js';
import { refusedSql, unmatchedSql, updateByKeySql, updatedRows } from '../sql/update-sql.js';
import { repeatedKeySql } from '../sql/upsert-sql.js';
import { refuseReferences } from './refuse-references.js';
import { inputError } from './stage-input.js';
import {
  keepRows,
  knowingNulls,
  overStage,
  refuseRepeated,
  type WriteParts,
  type WrittenRows,
} from './written-rows.js';

/** Updates rows by key columns; every input row must find at least one (spec/catalog-data.md 7.5). */
export async function updateRows(parts: WriteParts, plan: UpdatePlan): Promise<WrittenRows> {
  const { connection, change } = parts;
  const staging = await knowingNulls(parts, plan.keys);
  await refuseRepeated(
    parts,
    repeatedKeySql(
      plan.keys.map((key) => key.input),
      staging,
    ),
    plan.keys.map((key) => key.input.name),
  );
  const { rows } = await connection.client
    .query<{ first: string }>(inline(unmatchedSql(plan, staging)))
    .catch((error: unknown) => {
      throw inputError(error);
    });
  const [unmatched] = rows;
  if (unmatched !== undefined) {
    throw new AppError(
      'unmatched_row',
      `Row ${unmatched.first} of the input matches no stored row by ${plan.keys.map((key) => key.input.name).join(', ')}; nothing was changed.`,
    );
  }
  if (plan.stored.checks.length > 0 && (await overStage(parts, refusedSql(plan, staging))) > 0)
    throw refusedRow(plan.table, 'update');
  const given = plan.targets.map(({ column }) => column);
  await refuseReferences(
    parts,
    { checks: plan.references, given, ...updatedRows(plan, staging) },
    plan.stored.viewpoint,
  );
  await connection.client.query('set constraints all deferred');
  const written = await keepRows(parts, plan, updateByKeySql(plan, staging, change));
  await overStage(parts, sql`set constraints all immediate`);
  return written;
}
