import type { RightsEvaluator } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import pg from 'pg';
import type { ForeignKey } from '../model/model.js';

/**
 * A foreign key is in the way of a change. Owners of a table do not always see what refers to it: then they learn that there is
 * something, but not what (spec/catalog-access.md 4).
 * @param what it refers to, as the end of a sentence
 */
export function stillReferenced(rights: RightsEvaluator, foreignKey: ForeignKey, what: 'it' | 'the key'): AppError {
  return new AppError(
    'in_use',
    rights.always(foreignKey, 'enumerate')
      ? `The foreign key ${foreignKey.constraintName} of ${foreignKey.parent.name} refers to ${what}.`
      : `A foreign key that you may not see refers to ${what}; ask an owner of the catalog.`,
  );
}

/** An error of DDL as the client may read it: PostgreSQL names the constraint in the way, also one that the client does not see. */
export function withoutHiddenForeignKeys(
  error: unknown,
  rights: RightsEvaluator,
  foreignKeys: readonly ForeignKey[],
): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const { message } = error;
  const hidden = foreignKeys.filter((foreignKey) => !rights.always(foreignKey, 'enumerate'));
  if (!hidden.some(({ constraintName }) => message.includes(`"${constraintName}"`))) return error;
  return new AppError(
    'in_use',
    'A foreign key that you may not see stands in the way of the change; ask an owner of the catalog.',
    { cause: error },
  );
}
