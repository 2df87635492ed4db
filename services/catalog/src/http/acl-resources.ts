import { type AclName, supportsAcl } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { type AclSubject, requireOwner, type Subject, setAcl, setAcls, unsetAcl } from '../schema-change/configure.js';
import type { CatalogHandler, CatalogRequest } from './catalog-request.js';
import type { Methods } from './methods.js';
import { changeAccess, changeSilently, reading, requiredJson } from './model-answers.js';
import type { SubjectTarget } from './model-target.js';
import { findSubject, type ModelView } from './model-view.js';

/** `<subject>/acl` (spec/catalog-model.md 19.4): for owners only. */
export function aclsMethods({ subject }: { readonly subject: SubjectTarget }): Methods<CatalogHandler> {
  return {
    GET: reading((view, context) => ownSubject(view, context, subject).acls),
    PUT: async (context) => {
      const json = await requiredJson(context);
      await changeAccess(
        context,
        (edit, view) => setAcls(edit, aclSubject(view, subject), json),
        (view) => aclSubject(view, subject).acls,
      );
    },
    DELETE: (context) => changeSilently(context, (edit, view) => setAcls(edit, aclSubject(view, subject), {})),
  };
}

/** `<subject>/acl/<name>`. */
export function aclMethods({
  subject,
  name,
}: {
  readonly subject: SubjectTarget;
  readonly name: string;
}): Methods<CatalogHandler> {
  return {
    GET: reading((view, context) => {
      const element = ownSubject(view, context, subject);
      return element.acls[knownName(element, name)] ?? null;
    }),
    PUT: async (context) => {
      const json = await requiredJson(context);
      await changeAccess(
        context,
        (edit, view) => setAcl(edit, aclSubject(view, subject), name, json),
        (view) => {
          const element = aclSubject(view, subject);
          return element.acls[knownName(element, name)] ?? null;
        },
      );
    },
    DELETE: (context) =>
      changeSilently(context, (edit, view) => {
        const element = aclSubject(view, subject);
        requireOwner(edit, element);
        return unsetAcl(edit, element, knownName(element, name));
      }),
  };
}

function ownSubject(view: ModelView, context: CatalogRequest, target: SubjectTarget): AclSubject {
  const subject = aclSubject(view, target);
  requireOwner(context, subject);
  return subject;
}

function aclSubject(view: ModelView, target: SubjectTarget): AclSubject {
  const subject: Subject = findSubject(view, target);
  if (subject.kind === 'key') throw new AppError('not_found', 'A key has no access lists.');
  return subject;
}

function knownName(subject: AclSubject, name: string): AclName {
  if (supportsAcl(subject.kind, name)) return name;
  throw new AppError('not_found', `There is no access list ${JSON.stringify(name)} here.`);
}
