import { AppError } from '@holdfast/http-kit';
import { type CanonicalPath, canonicalPath, NAME_LIMITS, type NameLimits } from './canonical-path.js';
import { checkPathCharacters, decodeElement, refuseSubDelimiters } from './percent.js';
import type { Resource } from './resource.js';

/** A request target, taken apart. */
export interface Target {
  /** The prefix the client used: paths in the answer start with it (spec/profiles.md). */
  readonly prefix: string;
  readonly resource: Resource;
  /** Whether missing namespaces above may be made: `parents=true`, and no other value (spec/objectstore.md 2.1.3). */
  readonly parents: boolean;
  readonly parameters: URLSearchParams;
}

/** What a deployment lets a URL be. */
export interface TargetRules {
  /** URL prefixes of the service. */
  readonly prefixes: readonly string[];
  readonly limits?: UrlLimits;
  /** What becomes of reserved characters without a meaning that stand unescaped in a name (spec/objectstore.md 16). */
  readonly unescapedSubDelimiters?: 'accept' | 'refuse';
}

/** Bounds of URLs (spec/objectstore.md 1, `url.*`). */
export interface UrlLimits extends NameLimits {
  /** Longest request target as it was sent. */
  readonly targetBytes: number;
}

export const URL_LIMITS: UrlLimits = { ...NAME_LIMITS, targetBytes: 8192 };

/**
 * Reads the undecoded request target, so that `%2F`, `%3A` and `%3B` stay apart from `/`, `:` and `;`.
 * @param raw the target as it stood in the request line
 * @throws {AppError} `uri_too_long`, `bad_name` for syntax, `not_found` for anything outside the prefixes or of no known form
 */
export function parseTarget(raw: string, rules: TargetRules): Target {
  const { prefixes, limits = URL_LIMITS } = rules;
  if (raw.length > limits.targetBytes)
    throw new AppError('uri_too_long', `A request target may have ${limits.targetBytes} bytes at most.`);
  const [fullPath = '', query = ''] = splitOnce(raw.replace(/^https?:\/\/[^/?#]*/i, ''), '?');
  const prefix = prefixOf(fullPath, prefixes);
  const path = fullPath.slice(prefix.length);
  checkPathCharacters(path);
  if (rules.unescapedSubDelimiters === 'refuse') refuseSubDelimiters(splitOnce(path, ';')[0]);
  const parameters = new URLSearchParams(query);
  return { prefix, resource: parseResource(path, limits), parents: hasParents(parameters), parameters };
}

/**
 * The canonical path that a name in a document or parameter stands for, without the prefix of the service.
 * @param text as in a URL; a missing leading slash is added
 * @throws {AppError} `bad_name` for syntax, and for a version or sub-resource of a name
 */
export function parseName(text: string, limits: NameLimits = NAME_LIMITS): CanonicalPath {
  checkPathCharacters(text);
  const resource = parseResource(text, limits);
  if (resource.kind === 'name') return resource.path;
  throw new AppError('bad_name', 'Give the path of a namespace or object, without a version or anything after ";".');
}

function prefixOf(path: string, prefixes: readonly string[]): string {
  const found = [...prefixes]
    .sort((a, b) => b.length - a.length)
    .find((prefix) => path.startsWith(prefix) && /^([/;:]|$)/.test(path.slice(prefix.length)));
  if (found === undefined)
    throw new AppError('not_found', `Names of this service start with ${prefixes.join(' or ')}.`);
  return found;
}

function hasParents(parameters: URLSearchParams): boolean {
  return parameters.get('parents')?.toLowerCase() === 'true';
}

/** name [":" version] [";" keyword elements]; every decoding fault is reported before any unknown form. */
function parseResource(path: string, limits: NameLimits): Resource {
  const [qualified = '', subResource = null] = splitOnce(path, ';');
  const [, ...rawElements] = (subResource ?? '').split('/');
  const elements = rawElements.map(decodeElement);
  const { name, version } = parseQualified(qualified, subResource !== null, limits);
  if (subResource === null)
    return version === null ? { kind: 'name', path: name } : { kind: 'version', path: name, version };
  if (/[:;]/.test(subResource)) throw noSuchForm();
  return parseSubResource(name, version, subResource.split('/')[0] ?? '', elements);
}

function parseQualified(
  text: string,
  followed: boolean,
  limits: NameLimits,
): { readonly name: CanonicalPath; readonly version: string | null } {
  const segments = text.split('/').filter((segment) => segment !== '');
  const last = segments.at(-1) ?? '';
  const [lastName = '', rawVersion = null] = splitOnce(last, ':');
  const version = rawVersion === null ? null : decodeElement(rawVersion.replaceAll(':', ''));
  const name = canonicalPath(
    [...segments.slice(0, -1), ...(lastName === '' ? [] : [lastName])].map((segment) => decodeElement(segment)),
    limits,
  );
  // raw ":" belongs before the version in the last segment, once (2.1.6)
  const misplaced =
    segments.slice(0, -1).some((segment) => segment.includes(':')) || rawVersion?.includes(':') === true;
  // 2.1.4, 2.1.7: no version of the root, no empty version, nothing between a name and what qualifies it
  const badVersion = rawVersion !== null && (rawVersion === '' || lastName === '' || text.endsWith('/'));
  const gap = followed && text.endsWith('/') && segments.length > 0;
  if (misplaced || badVersion || gap) throw noSuchForm();
  return { name, version };
}

function parseSubResource(
  path: CanonicalPath,
  version: string | null,
  keyword: string,
  elements: readonly string[],
): Resource {
  const trailing = elements.at(-1) === '';
  const [first, second, ...more] = trailing ? elements.slice(0, -1) : elements;
  if (more.length > 0 || first === '' || second === '') throw noSuchForm();
  switch (keyword) {
    case 'versions':
      if (version !== null || first !== undefined) throw noSuchForm();
      return { kind: 'versions', path };
    case 'bulk':
      if (version !== null || second !== undefined || trailing || (first !== 'names' && first !== 'versions'))
        throw noSuchForm();
      return { kind: 'bulk', path, of: first };
    case 'metadata':
      if (first === undefined) return { kind: 'metadata', path, version };
      if (second !== undefined || trailing) throw noSuchForm();
      return { kind: 'metadata-field', path, version, field: first.toLowerCase() };
    case 'acl':
      if (first === undefined) return { kind: 'acl', path, version };
      if (second === undefined) return { kind: 'acl-mode', path, version, mode: first };
      if (trailing) throw noSuchForm();
      return { kind: 'acl-entry', path, version, mode: first, entry: second };
    case 'upload':
      if (version !== null) throw noSuchForm();
      if (first === undefined) return { kind: 'upload', path };
      if (second === undefined) return { kind: 'upload-job', path, job: first };
      if (trailing) throw noSuchForm();
      return { kind: 'upload-chunk', path, job: first, number: second };
    default:
      throw noSuchForm();
  }
}

function splitOnce(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function noSuchForm(): AppError {
  return new AppError(
    'not_found',
    'The URL has no form this service knows. Percent-encode "/", ":" and ";" inside names, versions and entries.',
  );
}
