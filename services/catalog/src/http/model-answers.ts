import { AppError, sendEmpty } from '@holdfast/http-kit';
import type { ModelEdit } from '../schema-change/model-edit.js';
import type { CatalogHandler, CatalogRequest } from './catalog-request.js';
import { catalogTag } from './entity-tags.js';
import { changeModel, viewOf } from './model-change.js';
import type { ModelView } from './model-view.js';
import { readStorableJson } from './storable-json.js';
import { answeredByPreconditions, sendTagged, setTag } from './tagged-answer.js';

/** A read of the model: the document of what the URL names, or an error. */
export function reading(document: (view: ModelView, context: CatalogRequest) => unknown): CatalogHandler {
  return async (context) => {
    const tag = catalogTag(context, 'model', context.state);
    if (answeredByPreconditions(context.request, context.response, context.profile, tag)) return;
    sendTagged(context.request, context.response, 200, tag, document(viewOf(context), context));
  };
}

/** A change of the model that is answered with a document of the model after it. */
export async function changeAndShow<Result>(
  context: CatalogRequest,
  status: number,
  work: (edit: ModelEdit, view: ModelView) => Promise<Result>,
  document: (view: ModelView, result: Result) => unknown,
): Promise<void> {
  const { result, view, etag } = await changeModel(context, work);
  sendTagged(context.request, context.response, status, etag, document(view, result));
}

/**
 * A change of one element, answered with its document after the change.
 * @param document is given the element as it was before: it may have another name now
 */
export function changeFound<Element>(
  context: CatalogRequest,
  find: (view: ModelView) => Element,
  work: (edit: ModelEdit, element: Element) => Promise<void>,
  document: (view: ModelView, element: Element) => unknown,
): Promise<void> {
  return changeAndShow(
    context,
    200,
    async (edit, view) => {
      const element = find(view);
      await work(edit, element);
      return element;
    },
    document,
  );
}

/** A change of the model that is answered without a body. */
export async function changeSilently<Result>(
  context: CatalogRequest,
  work: (edit: ModelEdit, view: ModelView) => Promise<Result>,
  status: (result: Result) => number = () => 204,
): Promise<void> {
  const { result, etag } = await changeModel(context, work);
  setTag(context.response, etag);
  sendEmpty(context.response, status(result));
}

/** A change of access lists or bindings. What a PUT of them answers is a field of the wire profile: nothing, or the document after it. */
export async function changeAccess(
  context: CatalogRequest,
  work: (edit: ModelEdit, view: ModelView) => Promise<void>,
  document: (view: ModelView) => unknown,
): Promise<void> {
  if (context.profile.aclPutAnswer === 'none') await changeSilently(context, work);
  else await changeAndShow(context, 200, work, document);
}

/** The body of a request that must have one. */
export async function requiredJson({ request, settings }: CatalogRequest): Promise<unknown> {
  const json = await readStorableJson(request, settings.maxModelBytes);
  if (json === undefined) throw new AppError('bad_json', 'The request needs a JSON document as its body.');
  return json;
}
