import { alterColumn } from '../schema-change/alter-column.js';
import { createColumn } from '../schema-change/create.js';
import { parseColumnAlteration } from '../schema-change/parse-alteration.js';
import { parseColumn } from '../schema-change/parse-column.js';
import { removeColumn } from '../schema-change/remove.js';
import type { CatalogHandler } from './catalog-request.js';
import type { Methods } from './methods.js';
import { changeAndShow, changeFound, changeSilently, reading, requiredJson } from './model-answers.js';
import { columnDocument, columnDocuments } from './model-documents.js';
import type { TablePath } from './model-target.js';
import { columnByRid, findColumn, findTable } from './model-view.js';

/** `<T>/column` (spec/catalog-model.md 14). */
export function columnsMethods(path: TablePath): Methods<CatalogHandler> {
  return {
    GET: reading((view) => columnDocuments(view, findTable(view, path))),
    POST: async (context) => {
      const definition = parseColumn(await requiredJson(context));
      await changeAndShow(
        context,
        context.profile.modelCreatedStatus,
        (edit, view) => createColumn(edit, findTable(view, path), definition),
        (view) => columnDocument(view, findColumn(view, { ...path, column: definition.name })),
      );
    },
  };
}

/** `<T>/column/<c>`. */
export function columnMethods(path: TablePath & { readonly column: string }): Methods<CatalogHandler> {
  return {
    GET: reading((view) => columnDocument(view, findColumn(view, path))),
    PUT: async (context) => {
      const alteration = parseColumnAlteration(await requiredJson(context));
      await changeFound(
        context,
        (view) => findColumn(view, path),
        (edit, found) => alterColumn(edit, found, alteration),
        (view, found) => columnDocument(view, columnByRid(view, found)),
      );
    },
    DELETE: (context) => changeSilently(context, (edit, view) => removeColumn(edit, findColumn(view, path))),
  };
}
