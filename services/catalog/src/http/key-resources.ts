import { alterKey } from '../schema-change/alter-constraints.js';
import { createKey } from '../schema-change/create.js';
import { parseKeyAlteration } from '../schema-change/parse-alteration.js';
import { parseKey } from '../schema-change/parse-key.js';
import { removeKey } from '../schema-change/remove.js';
import type { CatalogHandler } from './catalog-request.js';
import type { Methods } from './methods.js';
import { changeAndShow, changeFound, changeSilently, reading, requiredJson } from './model-answers.js';
import { keyDocument, keyDocuments } from './model-documents.js';
import type { TablePath } from './model-target.js';
import { findKey, findTable, keyByRid } from './model-view.js';

/** `<T>/key` (spec/catalog-model.md 15). */
export function keysMethods(path: TablePath): Methods<CatalogHandler> {
  return {
    GET: reading((view) => keyDocuments(view, findTable(view, path))),
    POST: async (context) => {
      const definition = parseKey(await requiredJson(context));
      const { modelCreatedStatus, constraintAnswerAsArray } = context.profile;
      await changeAndShow(
        context,
        modelCreatedStatus,
        (edit, view) => createKey(edit, findTable(view, path), definition),
        (view) => {
          const document = keyDocument(findKey(view, { ...path, columns: definition.columns }));
          return constraintAnswerAsArray ? [document] : document;
        },
      );
    },
  };
}

/** `<T>/key/<c,..>`. */
export function keyMethods(path: TablePath & { readonly columns: readonly string[] }): Methods<CatalogHandler> {
  return {
    GET: reading((view) => keyDocument(findKey(view, path))),
    PUT: async (context) => {
      const alteration = parseKeyAlteration(await requiredJson(context));
      await changeFound(
        context,
        (view) => findKey(view, path),
        (edit, found) => alterKey(edit, found, alteration),
        (view, found) => keyDocument(keyByRid(view, found)),
      );
    },
    DELETE: (context) => changeSilently(context, (edit, view) => removeKey(edit, findKey(view, path))),
  };
}
