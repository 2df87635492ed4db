import { AppError } from '@holdfast/http-kit';
import type { AmendedElement, StoredDocument } from '../history/amend.js';
import { captureMarks } from '../model/history-capture.js';
import type { AmendedBindingDoc, Json } from '../model/model.js';
import { readAcls } from '../schema-change/configure.js';
import { parseBindings } from '../schema-change/parse-bindings.js';

/**
 * Reads what a configuration is to have been (spec/catalog-access.md 10.3), as the bookkeeping keeps it.
 * @throws {AppError} `bad_json`, `bad_acl`, `conflict` for an access list that elements of the kind do not have
 */
export function amendedDocument(
  part: 'acl' | 'acl_binding' | 'annotation',
  kind: AmendedElement['kind'],
  json: unknown,
): StoredDocument {
  const given = requireObject(json);
  switch (part) {
    case 'acl':
      return { ...readAcls(kind, given) };
    case 'acl_binding':
      return bindings(kind, given);
    case 'annotation':
      if (Object.keys(captureMarks(given)).length > 0)
        throw new AppError('bad_json', 'Whether history was captured cannot be amended; leave out history-capture.');
      return given;
    default:
      return part satisfies never;
  }
}

function requireObject(json: unknown): Readonly<Record<string, Json>> {
  if (typeof json === 'object' && json !== null && !Array.isArray(json))
    // it came from JSON.parse
    return json as Readonly<Record<string, Json>>;
  throw new AppError('bad_json', 'The body must be a JSON object.');
}

/** Names stay: what they mean is looked up in the model of each snapshot. */
function bindings(kind: AmendedElement['kind'], given: Readonly<Record<string, Json>>): StoredDocument {
  if (kind !== 'table' && kind !== 'column' && kind !== 'foreign_key')
    throw new AppError('internal', 'Bindings were read for an element that has none.');
  const documents = [...parseBindings(kind, given, 'The body')].map(([name, definition]) => {
    if (definition === false) return [name, false] as const;
    const { types, projectionType, scopeAcl, comment } = definition;
    const stored: AmendedBindingDoc = {
      by_name: true,
      types,
      projection: projectionOf(given, name),
      projection_type: projectionType,
      scope_acl: scopeAcl,
      ...(comment === undefined ? {} : { comment }),
    };
    return [name, stored] as const;
  });
  return Object.fromEntries(documents);
}

/** As it was given; it was read for form. */
function projectionOf(given: Readonly<Record<string, Json>>, name: string): Json {
  const binding: unknown = given[name];
  if (typeof binding === 'object' && binding !== null && 'projection' in binding) return binding.projection as Json;
  throw new AppError('internal', 'A binding without a projection was read.');
}
