import { denied } from '@holdfast/http-kit';
import { authorizeRowChange } from '../authorize/authorize-change.js';
import { type ReferenceCheck, referenceChecks } from '../authorize/authorize-references.js';
import type { Column } from '../model/model.js';
import type { NamedColumn, ResolvedUpdate } from '../resolve/resolve-update.js';
import { type StoredRows, storedRows, type WriteFormats, type WritePlan, type Writer } from './write-plan.js';

/** An update of the rows whose key columns equal the input's (spec/catalog-data.md 7.5). */
export interface UpdatePlan extends WritePlan {
  readonly keys: readonly UpdateColumn[];
  readonly targets: readonly UpdateColumn[];
  readonly stored: StoredRows;
  readonly references: readonly ReferenceCheck[];
}

/** A column of the table with its input under the output's name. */
export interface UpdateColumn {
  readonly column: Column;
  readonly input: Column;
}

/**
 * @throws {AppError} `forbidden` or `auth_required`: key columns must be readable too, or hidden values could be probed
 */
export function planUpdate(
  { table, keys, targets }: ResolvedUpdate,
  formats: WriteFormats,
  { rights, anonymous }: Writer,
): UpdatePlan {
  const checks = authorizeRowChange(
    table,
    'update',
    targets.map(({ column }) => column),
    rights,
    anonymous,
  );
  for (const { column } of keys) {
    if (!rights.somehow(column, 'select'))
      throw denied(anonymous, `Finding rows by column ${JSON.stringify(column.name)} needs the right "select" on it.`);
  }
  const inputs = [...keys, ...targets].map(inputOf);
  const [keyInputs, targetInputs] = [inputs.slice(0, keys.length), inputs.slice(keys.length)];
  const fromInput = inputs.map(({ input }) => input);
  return {
    table,
    accepted: fromInput,
    fromInput,
    ignored: [],
    answeredNames: fromInput.map(({ name }) => name),
    keys: keyInputs,
    targets: targetInputs,
    stored: storedRows(
      table,
      keys.map(({ column }) => column),
      checks,
      rights,
    ),
    references: referenceChecks(
      table,
      targets.map(({ column }) => column),
      'update',
      rights,
    ),
    formats,
  };
}

function inputOf({ column, output }: NamedColumn): UpdateColumn {
  return { column, input: output === column.name ? column : { ...column, name: output } };
}
