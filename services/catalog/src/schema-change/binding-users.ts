import { AppError } from '@holdfast/http-kit';
import { loadModel } from '../model/load-model.js';
import { elementsOf } from '../model/projection.js';
import { checkOperands } from './binding-operands.js';
import type { ModelEdit } from './model-edit.js';
import { requireRoles } from './resolve-bindings.js';
import { boundSubjects } from './set-bindings.js';

/**
 * Makes sure that every binding which uses a column still works after the column's type has changed: else its readers would fail.
 * @throws {AppError} `in_use`
 */
export async function requireUsersFit(edit: ModelEdit, columnRid: string): Promise<void> {
  const model = await loadModel(edit.connection, edit.change.micros);
  for (const subject of boundSubjects(model)) {
    for (const [name, binding] of Object.entries(subject.bindings)) {
      if (binding === false || binding.projection === null) continue;
      const { projection, projectionType } = binding;
      if (!elementsOf(projection).some(({ rid }) => rid === columnRid)) continue;
      const what = `the binding ${JSON.stringify(name)}`;
      try {
        if (projectionType === 'acl') requireRoles(projection.value.column, what);
        await checkOperands(edit.connection, projection, what);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        throw new AppError(
          'in_use',
          `The column cannot have this type: ${what} would not work any more. ${error.detail}`,
          { cause: error },
        );
      }
    }
  }
}
