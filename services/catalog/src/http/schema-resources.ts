import { containerRights } from '@holdfast/acl';
import { sendBody } from '@holdfast/http-kit';
import { stringifyExact } from '../model/exact-numbers.js';
import { encodeId } from '../model/id-codec.js';
import { alterSchema } from '../schema-change/alter-containers.js';
import { createBulk, createSchema } from '../schema-change/create.js';
import { requireName } from '../schema-change/document-parts.js';
import { parseSchemaAlteration } from '../schema-change/parse-alteration.js';
import { type BulkDefinition, parseBulk } from '../schema-change/parse-bulk.js';
import { removeSchema } from '../schema-change/remove.js';
import type { CatalogHandler, CatalogRequest } from './catalog-request.js';
import { catalogTag } from './entity-tags.js';
import { features } from './features.js';
import type { Methods } from './methods.js';
import { changeAndShow, changeFound, changeSilently, reading, requiredJson } from './model-answers.js';
import { viewOf } from './model-change.js';
import { schemaDocument, schemasDocument, tableDocument } from './model-documents.js';
import { findSchema, findTable, type ModelView, schemaByRid } from './model-view.js';
import { answeredByPreconditions, setTag } from './tagged-answer.js';

/** `<C>/schema` (spec/catalog-model.md 11, 12). */
export const schemasMethods: Methods<CatalogHandler> = {
  GET: getModel,
  POST: async (context) => {
    const bulk = parseBulk(await requiredJson(context));
    await changeAndShow(
      context,
      201,
      (edit) => createBulk(edit, bulk.items),
      (view) => bulkDocument(view, bulk),
    );
  },
};

/** `<S>`. */
export function schemaMethods({ schema }: { readonly schema: string }): Methods<CatalogHandler> {
  return {
    GET: reading((view) => schemaDocument(view, findSchema(view, schema))),
    POST: (context) => {
      requireName(schema, 'a schema');
      return changeSilently(
        context,
        (edit) => createSchema(edit, schema),
        () => 201,
      );
    },
    PUT: async (context) => {
      const alteration = parseSchemaAlteration(await requiredJson(context));
      await changeFound(
        context,
        (view) => findSchema(view, schema),
        (edit, found) => alterSchema(edit, found, alteration),
        (view, { rid }) => schemaDocument(view, schemaByRid(view, rid)),
      );
    },
    DELETE: (context) => changeSilently(context, (edit, view) => removeSchema(edit, findSchema(view, schema))),
  };
}

/** The largest and hottest document of the model: its text is kept per version, roles and way of addressing. */
async function getModel(context: CatalogRequest): Promise<void> {
  const { request, response, profile, modelTexts, state } = context;
  const tag = catalogTag(context, 'model', state);
  if (answeredByPreconditions(request, response, profile, tag)) return;
  const text = modelTexts.get(tag, () => `${stringifyExact(modelDocument(viewOf(context), context))}\n`);
  setTag(response, tag);
  sendBody(request, response, 200, 'application/json', text);
}

function modelDocument(view: ModelView, { catalog, state, snapshot, profile }: CatalogRequest): object {
  const { model, rights } = view;
  return {
    snaptime: encodeId(snapshot === null ? state.modelVersion : snapshot),
    annotations: model.annotations,
    rights: containerRights(rights, model, view),
    features,
    ...(profile.aliasTargetInModel && catalog.aliasTarget !== null ? { alias_target: catalog.aliasTarget } : {}),
    ...(rights.always(model, 'owner') ? { acls: model.acls } : {}),
    schemas: schemasDocument(view),
  };
}

/** The new elements in the form in which they were asked for; foreign keys of their own show nowhere. */
function bulkDocument(view: ModelView, { form, items }: BulkDefinition): unknown {
  const documents = items.flatMap((item): readonly (readonly [string, object])[] => {
    switch (item.kind) {
      case 'schema':
        return [[item.definition.name, schemaDocument(view, findSchema(view, item.definition.name))]];
      case 'table': {
        const path = { schema: item.definition.schemaName, table: item.definition.name };
        return [[item.definition.name, tableDocument(view, findTable(view, path))]];
      }
      case 'foreign_key':
        return [];
      default:
        return item satisfies never;
    }
  });
  return form === 'map' ? { schemas: Object.fromEntries(documents) } : documents.map(([, document]) => document);
}
