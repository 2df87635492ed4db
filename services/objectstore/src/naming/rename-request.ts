import { AppError } from '@holdfast/http-kit';
import type { CanonicalPath, NameLimits } from './canonical-path.js';
import { parseName } from './parse-target.js';

/** A rename command. */
export interface RenameRequest {
  /** Paths the source may be meant by: as given, and without a prefix of the service (spec/objectstore.md 9.2). */
  readonly sources: readonly CanonicalPath[];
  /** Null: all versions there are. */
  readonly versions: readonly string[] | null;
  readonly copyAcls: boolean;
}

const MEMBERS = ['command', 'source_name', 'source_versions', 'copy_acls'];

/** What a deployment takes. */
export interface RenameRules {
  /** URL prefixes of the service. */
  readonly prefixes: readonly string[];
  readonly limits: NameLimits;
  /** Whether `versions` may stand for `source_versions`. */
  readonly versionsAlias: boolean;
}

/**
 * Reads the document of a rename (spec/objectstore.md 9.1).
 * @param json the parsed body; undefined for an empty one
 * @throws {AppError} `bad_json`, `bad_request`, `bad_name`
 */
export function parseRenameRequest(json: unknown, rules: RenameRules): RenameRequest {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new AppError('bad_json', 'Send a JSON object with command and source_name.');
  const members = new Map<string, unknown>(Object.entries(json));
  const unknown = [...members.keys()].find(
    (name) => !MEMBERS.includes(name) && !(rules.versionsAlias && name === 'versions'),
  );
  if (unknown !== undefined) throw new AppError('bad_request', `A rename has no member ${JSON.stringify(unknown)}.`);
  if (members.get('command') !== 'rename_from')
    throw new AppError('bad_request', 'command must be "rename_from", the only one there is.');
  const source = members.get('source_name');
  if (typeof source !== 'string' || source === '')
    throw new AppError('bad_request', 'source_name is needed: the path of the object as it was.');
  const copyAcls = members.get('copy_acls') ?? false;
  if (typeof copyAcls !== 'boolean') throw new AppError('bad_request', 'copy_acls must be true or false.');
  return { sources: sourcesOf(source, rules), versions: versionsOf(members), copyAcls };
}

function sourcesOf(text: string, { prefixes, limits }: RenameRules): readonly CanonicalPath[] {
  const given = text.startsWith('/') ? text : `/${text}`;
  const without = prefixes
    .filter((prefix) => prefix !== '' && given.startsWith(`${prefix}/`))
    .map((prefix) => given.slice(prefix.length));
  return [...new Set([given, ...without].map((path) => pathOf(path, limits)))];
}

/** Every fault of the path is one of the body here, whatever it would be in a URL. */
function pathOf(text: string, limits: NameLimits): CanonicalPath {
  try {
    return parseName(text, limits);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError('bad_name', `source_name: ${error.detail}`, { cause: error });
  }
}

function versionsOf(members: ReadonlyMap<string, unknown>): readonly string[] | null {
  if (members.has('source_versions') && members.has('versions'))
    throw new AppError('bad_request', 'versions is another name of source_versions; send one of them.');
  const given = members.get('source_versions') ?? members.get('versions');
  if (given === undefined) return null;
  if (!Array.isArray(given)) throw new AppError('bad_request', 'source_versions must be an array of version ids.');
  const versions = given.map((version: unknown) => {
    if (typeof version === 'string' && !version.includes('\0')) return version;
    throw new AppError('bad_request', 'source_versions must be an array of version ids.');
  });
  return versions.length === 0 ? null : [...new Set(versions)];
}
