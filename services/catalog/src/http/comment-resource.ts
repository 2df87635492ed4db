import { AppError, readBody, sendBody } from '@holdfast/http-kit';
import { type Subject, setComment } from '../schema-change/configure.js';
import type { CatalogHandler, CatalogRequest } from './catalog-request.js';
import { catalogTag } from './entity-tags.js';
import type { Methods } from './methods.js';
import { changeSilently } from './model-answers.js';
import { viewOf } from './model-change.js';
import type { SubjectTarget } from './model-target.js';
import { findSubject, type ModelView } from './model-view.js';
import { answeredByPreconditions, setTag } from './tagged-answer.js';

/** `<subject>/comment` (spec/catalog-model.md 19.2). */
export function commentMethods({ subject }: { readonly subject: SubjectTarget }): Methods<CatalogHandler> {
  return {
    GET: async (context) => {
      const { request, response, profile, state } = context;
      const tag = catalogTag(context, 'model', state);
      if (answeredByPreconditions(request, response, profile, tag)) return;
      const { comment } = commented(viewOf(context), subject);
      if (comment === null) throw new AppError('not_found', 'There is no comment.');
      setTag(response, tag);
      sendBody(request, response, 200, 'text/plain', comment);
    },
    PUT: async (context) => {
      const text = await readText(context);
      await changeSilently(context, (edit, view) => setComment(edit, commented(view, subject), text));
    },
    DELETE: (context) => changeSilently(context, (edit, view) => setComment(edit, commented(view, subject), null)),
  };
}

function commented(view: ModelView, target: SubjectTarget): Exclude<Subject, { readonly kind: 'catalog' }> {
  const subject = findSubject(view, target);
  if (subject.kind === 'catalog') throw new AppError('not_found', 'A catalog has no comment.');
  return subject;
}

async function readText({ request, settings }: CatalogRequest): Promise<string> {
  const bytes = await readBody(request, settings.maxModelBytes);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\u0000')) return text;
  } catch (error) {
    throw new AppError('bad_request', 'A comment is text in UTF-8.', { cause: error });
  }
  throw new AppError('bad_request', 'A comment may not contain U+0000.');
}
