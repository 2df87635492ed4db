import { alterTable } from '../schema-change/alter-containers.js';
import { createTable } from '../schema-change/create.js';
import { parseTableAlteration } from '../schema-change/parse-alteration.js';
import { parseTable } from '../schema-change/parse-table.js';
import { removeTable } from '../schema-change/remove.js';
import type { CatalogHandler } from './catalog-request.js';
import type { Methods } from './methods.js';
import { changeAndShow, changeFound, changeSilently, reading, requiredJson } from './model-answers.js';
import { tableDocument } from './model-documents.js';
import type { TablePath } from './model-target.js';
import { findSchema, findTable, tableByRid, visibleTables } from './model-view.js';

/** `<S>/table` (spec/catalog-model.md 13). */
export function tablesMethods({ schema }: { readonly schema: string }): Methods<CatalogHandler> {
  return {
    GET: reading((view) => visibleTables(view, findSchema(view, schema)).map((table) => tableDocument(view, table))),
    POST: async (context) => {
      const definition = parseTable(await requiredJson(context), schema);
      await changeAndShow(
        context,
        context.profile.modelCreatedStatus,
        (edit) => createTable(edit, definition),
        (view) => tableDocument(view, findTable(view, { schema, table: definition.name })),
      );
    },
  };
}

/** `<T>`. */
export function tableMethods(path: TablePath): Methods<CatalogHandler> {
  return {
    GET: reading((view) => tableDocument(view, findTable(view, path))),
    PUT: async (context) => {
      const alteration = parseTableAlteration(await requiredJson(context));
      await changeFound(
        context,
        (view) => findTable(view, path),
        (edit, found) => alterTable(edit, found, alteration),
        (view, { rid }) => tableDocument(view, tableByRid(view, rid)),
      );
    },
    DELETE: (context) => changeSilently(context, (edit, view) => removeTable(edit, findTable(view, path))),
  };
}
