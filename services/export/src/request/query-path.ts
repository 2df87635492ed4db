import { AppError } from '@holdfast/http-kit';
import type { Template, VariableValue } from './interpolation.js';

const RESOURCES = ['entity', 'attribute', 'attributegroup', 'aggregate'];

/**
 * Checks a query path after interpolation and gives it back as it is sent (spec/export.md 3): what is not legal in a URL is
 * percent-encoded, existing escapes stay.
 * @throws {AppError} `bad_request`
 */
export function checkQueryPath(text: string, pointer: string): string {
  if (!text.startsWith('/')) throw refused(pointer, "must start with '/'.");
  if (text.includes('#')) throw refused(pointer, "may not have a '#'; write %23 for the character.");
  const [path = ''] = text.split('?');
  const segments = path.slice(1).split('/');
  checkResource(segments[0] ?? '', pointer);
  if (segments.some(isDotSegment)) throw refused(pointer, "may not have a segment '.' or '..'.");
  return encodeIllegal(text, pointer);
}

/** What can be said of a query path before its variables are known. */
export function checkQueryPathStart(template: Template, pointer: string): void {
  const [first] = template.parts;
  if (first?.kind !== 'text') return;
  if (!first.text.startsWith('/')) throw refused(pointer, "must start with '/'.");
  const resource = /^\/([^/?]*)[/?]/.exec(first.text)?.[1];
  if (resource !== undefined) checkResource(resource, pointer);
}

/** Values of rows may not bring syntax into a path; what the caller wrote itself may (spec/export.md 4). */
export function refuseSyntaxFromData(value: VariableValue): string | null {
  if (value.source === 'request' || !/[/?#\u0000-\u001f\u007f]/.test(value.text)) return null;
  return `${JSON.stringify(value.text)} comes from the catalog and has characters of URL syntax; use the _urlencoded variable.`;
}

function checkResource(segment: string, pointer: string): void {
  if (RESOURCES.includes(segment)) return;
  throw refused(pointer, `must start with one of ${RESOURCES.map((word) => `/${word}/`).join(', ')}.`);
}

function isDotSegment(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

/** Everything but unreserved characters, delimiters and whole escapes. */
const ILLEGAL = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]/gu;

function encodeIllegal(text: string, pointer: string): string {
  try {
    return text.replace(ILLEGAL, (character) => encodeURIComponent(character));
  } catch {
    throw refused(pointer, 'is not Unicode text.');
  }
}

function refused(pointer: string, problem: string): AppError {
  return new AppError('bad_request', `${pointer} ${problem}`);
}
