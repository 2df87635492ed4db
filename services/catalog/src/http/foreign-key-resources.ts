import { AppError } from '@holdfast/http-kit';
import { alterForeignKey } from '../schema-change/alter-constraints.js';
import { createForeignKey } from '../schema-change/create.js';
import { parseForeignKeyAlteration } from '../schema-change/parse-alteration.js';
import { parseForeignKey } from '../schema-change/parse-foreign-key.js';
import { removeForeignKeys } from '../schema-change/remove.js';
import type { CatalogHandler } from './catalog-request.js';
import type { Methods } from './methods.js';
import { changeAndShow, changeFound, changeSilently, reading, requiredJson } from './model-answers.js';
import { foreignKeyDocument } from './model-documents.js';
import type { ForeignKeyFilter, ForeignKeyPath } from './model-target.js';
import { findForeignKey, findForeignKeys, findTable, foreignKeyByRid } from './model-view.js';

/** `<T>/foreignkey` and its list forms (spec/catalog-model.md 16). */
export function foreignKeysMethods(filter: ForeignKeyFilter): Methods<CatalogHandler> {
  const methods: Methods<CatalogHandler> = {
    GET: reading((view) => findForeignKeys(view, filter).map((foreignKey) => foreignKeyDocument(view, foreignKey))),
    DELETE: (context) =>
      changeSilently(context, async (edit, view) => {
        const foreignKeys = findForeignKeys(view, filter);
        if (foreignKeys.length === 0) throw new AppError('not_found', 'The table has no such foreign key.');
        await removeForeignKeys(edit, findTable(view, filter), foreignKeys);
      }),
  };
  return filter.columns === null ? { ...methods, POST: (context) => postForeignKey(context, filter) } : methods;
}

/** The full form. */
export function foreignKeyMethods(path: ForeignKeyPath): Methods<CatalogHandler> {
  return {
    GET: reading((view, { profile }) => {
      const document = foreignKeyDocument(view, findForeignKey(view, path));
      return profile.constraintAnswerAsArray ? [document] : document;
    }),
    // one object in both profiles: only POST and GET differ (spec/catalog-model.md 25)
    PUT: async (context) => {
      const alteration = parseForeignKeyAlteration(await requiredJson(context));
      await changeFound(
        context,
        (view) => findForeignKey(view, path),
        (edit, found) => alterForeignKey(edit, found, alteration),
        (view, found) => foreignKeyDocument(view, foreignKeyByRid(view, found)),
      );
    },
    DELETE: (context) =>
      changeSilently(context, (edit, view) =>
        removeForeignKeys(edit, findTable(view, path), [findForeignKey(view, path)]),
      ),
  };
}

const postForeignKey = async (context: Parameters<CatalogHandler>[0], path: ForeignKeyFilter): Promise<void> => {
  const definition = parseForeignKey(await requiredJson(context), path);
  const { modelCreatedStatus, constraintAnswerAsArray } = context.profile;
  await changeAndShow(
    context,
    modelCreatedStatus,
    (edit, view) => createForeignKey(edit, findTable(view, path), definition),
    (view, rid) => {
      const created = findTable(view, path).foreignKeys.find((foreignKey) => foreignKey.rid === rid);
      if (created === undefined) throw new AppError('internal', 'A foreign key that was made is not there.');
      const document = foreignKeyDocument(view, created);
      return constraintAnswerAsArray ? [document] : document;
    },
  );
};
