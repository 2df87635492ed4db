import { AppError } from '@holdfast/http-kit';
import { requireOwner } from '../schema-change/configure.js';
import { parseBinding, parseBindings } from '../schema-change/parse-bindings.js';
import { type BoundSubject, removeBinding, setBinding, setBindings } from '../schema-change/set-bindings.js';
import type { CatalogHandler, CatalogRequest } from './catalog-request.js';
import type { Methods } from './methods.js';
import { changeAccess, changeSilently, reading, requiredJson } from './model-answers.js';
import { bindingsDocument } from './model-documents.js';
import type { BoundTarget } from './model-target.js';
import { findSubject, type ModelView } from './model-view.js';

/** `<subject>/acl_binding` (spec/catalog-model.md 19.5): for owners only. */
export function aclBindingsMethods({ subject }: { readonly subject: BoundTarget }): Methods<CatalogHandler> {
  return {
    GET: reading((view, context) => bindingsDocument(ownSubject(view, context, subject).bindings)),
    PUT: async (context) => {
      const definitions = parseBindings(subject.kind, await requiredJson(context), 'The bindings');
      await changeAccess(
        context,
        (edit, view) => setBindings(edit, boundSubject(view, subject), definitions),
        (view) => bindingsDocument(boundSubject(view, subject).bindings),
      );
    },
    DELETE: (context) =>
      changeSilently(context, (edit, view) => setBindings(edit, boundSubject(view, subject), new Map())),
  };
}

/** `<subject>/acl_binding/<name>`. */
export function aclBindingMethods({
  subject,
  name,
}: {
  readonly subject: BoundTarget;
  readonly name: string;
}): Methods<CatalogHandler> {
  return {
    GET: reading((view, context) => {
      const bindings = bindingsDocument(ownSubject(view, context, subject).bindings);
      if (Object.hasOwn(bindings, name)) return bindings[name];
      throw new AppError('not_found', `There is no binding ${JSON.stringify(name)}.`);
    }),
    PUT: async (context) => {
      const json = await requiredJson(context);
      // null removes the binding (spec/catalog-access.md 7.2)
      const definition = json === null ? null : parseBinding(subject.kind, json, 'The binding');
      await changeAccess(
        context,
        (edit, view) => setBinding(edit, boundSubject(view, subject), name, definition),
        (view) => new Map(Object.entries(bindingsDocument(boundSubject(view, subject).bindings))).get(name) ?? null,
      );
    },
    DELETE: (context) =>
      changeSilently(context, (edit, view) => removeBinding(edit, boundSubject(view, subject), name)),
  };
}

function ownSubject(view: ModelView, context: CatalogRequest, target: BoundTarget): BoundSubject {
  const subject = boundSubject(view, target);
  requireOwner(context, subject);
  return subject;
}

function boundSubject(view: ModelView, target: BoundTarget): BoundSubject {
  const subject = findSubject(view, target);
  if (subject.kind === 'table' || subject.kind === 'column' || subject.kind === 'foreign_key') return subject;
  throw new AppError('internal', 'A binding was asked for on an element that has none.');
}
