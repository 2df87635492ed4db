import { AppError } from '@holdfast/http-kit';
import { z } from 'zod';
import type { Annotations, Json } from '../model/model.js';
import { parseDocument } from '../model/parse-document.js';
import { removeAnnotation, setAnnotation, setAnnotations } from '../schema-change/configure.js';
import type { CatalogHandler } from './catalog-request.js';
import type { Methods } from './methods.js';
import { changeSilently, reading, requiredJson } from './model-answers.js';
import type { SubjectTarget } from './model-target.js';
import { findSubject } from './model-view.js';

const annotationsDocument = z.record(z.string(), z.unknown(), 'must be an object of annotations by key');

/** `<subject>/annotation` (spec/catalog-model.md 19.3). */
export function annotationsMethods({ subject }: { readonly subject: SubjectTarget }): Methods<CatalogHandler> {
  return {
    GET: reading((view) => findSubject(view, subject).annotations),
    PUT: async (context) => {
      // the values came from JSON.parse
      const annotations = parseDocument(
        annotationsDocument,
        await requiredJson(context),
        'The annotations',
      ) as Annotations;
      await changeSilently(context, (edit, view) => setAnnotations(edit, findSubject(view, subject), annotations));
    },
  };
}

/** `<subject>/annotation/<key>`. */
export function annotationMethods({
  subject,
  key,
}: {
  readonly subject: SubjectTarget;
  readonly key: string;
}): Methods<CatalogHandler> {
  return {
    GET: reading((view) => {
      const { annotations } = findSubject(view, subject);
      if (Object.hasOwn(annotations, key)) return annotations[key];
      throw new AppError('not_found', `There is no annotation ${JSON.stringify(key)}.`);
    }),
    PUT: async (context) => {
      const value = (await requiredJson(context)) as Json;
      await changeSilently(
        context,
        async (edit, view) => {
          const element = findSubject(view, subject);
          await setAnnotation(edit, element, key, value);
          return Object.hasOwn(element.annotations, key);
        },
        (replaced) => (replaced ? 204 : 201),
      );
    },
    DELETE: (context) =>
      changeSilently(context, (edit, view) => removeAnnotation(edit, findSubject(view, subject), key)),
  };
}
