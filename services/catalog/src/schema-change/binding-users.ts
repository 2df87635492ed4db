import { AppError } from '@holdfast/http-kit';
import { type Connection, sql } from '@holdfast/pg-kit';
import type { Change } from '../history/change.js';
import { storedBindings } from '../model/build-bindings.js';
import { loadModel } from '../model/load-model.js';
import type { Projection } from '../model/model.js';
import { elementsOf } from '../model/projection.js';
import { checkOperands } from './binding-operands.js';
import { placeOf } from './configure.js';
import { replaceConfiguration } from './element-store.js';
import type { ModelEdit } from './model-edit.js';
import { boundSubjects } from './set-bindings.js';

/**
 * Makes sure that every binding which uses a column still works after the column's type has changed: else its readers would fail.
 * @throws {AppError} `in_use`
 */
export async function requireUsersFit(edit: ModelEdit, columnRid: string): Promise<void> {
  const model = await loadModel(edit.connection, edit.change.micros);
  const before = new Map(
    boundSubjects(edit.model).map(({ rid, bindings }) => [rid, new Map(Object.entries(bindings))] as const),
  );
  for (const subject of boundSubjects(model)) {
    for (const [name, binding] of Object.entries(subject.bindings)) {
      if (binding === false) continue;
      // one that asks a column without roles in it for roles has no projection any more; it had one if it worked
      const former = before.get(subject.rid)?.get(name);
      const projection = binding.projection ?? (former ? former.projection : null);
      if (projection === null || !elementsOf(projection).some(({ rid }) => rid === columnRid)) continue;
      const what = `the binding ${JSON.stringify(name)}`;
      const fault = binding.projection === null ? 'It needs text.' : await operandFault(edit, binding.projection, what);
      if (fault === null) continue;
      const owned = edit.rights.always(subject.kind === 'table' ? subject : subject.parent, 'owner');
      throw new AppError(
        'in_use',
        owned
          ? `The column cannot have this type: ${what} would not work any more. ${fault}`
          : 'The column cannot have this type: a binding that you may not see would not work any more; ask an owner of the catalog.',
      );
    }
  }
}

/** What is wrong with the operands of a projection, in words; null for nothing. */
async function operandFault({ connection }: ModelEdit, projection: Projection, what: string): Promise<string | null> {
  try {
    await checkOperands(connection, projection, what);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.detail;
    throw error;
  }
}

/**
 * Removes the bindings that a change by hand has made impossible: a column has another type, which an operand is no value of, and whoever
 * reads would fail (spec/catalog-access.md 8.5). Those that are merely without effect stay, to work again when the column is mended.
 * @returns what was removed and what is without effect, in words
 */
export async function removeMisfits(connection: Connection, change: Change): Promise<readonly string[]> {
  const model = await loadModel(connection, change.micros);
  const told: string[] = [];
  for (const subject of boundSubjects(model)) {
    const misfits: string[] = [];
    for (const [name, binding] of Object.entries(subject.bindings)) {
      if (binding === false) continue;
      const what = `the binding ${JSON.stringify(name)} of ${subject.kind} ${subject.rid}`;
      if (binding.projection === null) told.push(`${what} cannot be followed and matches nothing`);
      else if (!(await isReadable(connection, binding.projection, what))) misfits.push(name);
    }
    if (misfits.length === 0) continue;
    // one that a column has in place of its table's leaves false behind: the table's must not hold for the column now
    const inherited: object = subject.kind === 'column' ? subject.parent.bindings : {};
    const kept = Object.entries(storedBindings(subject.bindings)).flatMap(([name, binding]) => {
      if (!misfits.includes(name)) return [[name, binding] as const];
      return Object.hasOwn(inherited, name) ? [[name, false] as const] : [];
    });
    await replaceConfiguration(connection, change, placeOf(subject), {
      kind: 'binding',
      doc: Object.fromEntries(kept),
    });
    told.push(`the bindings ${JSON.stringify(misfits)} of ${subject.kind} ${subject.rid} are removed`);
  }
  return told;
}

/** Whether the operands of a projection are values of their columns still. */
async function isReadable(connection: Connection, projection: Projection, what: string): Promise<boolean> {
  if (projection.steps.every(({ kind }) => kind === 'link')) return true;
  await connection.execute(sql`savepoint operands`);
  try {
    await checkOperands(connection, projection, what);
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return false;
  } finally {
    await connection.execute(sql`rollback to savepoint operands`);
  }
}
