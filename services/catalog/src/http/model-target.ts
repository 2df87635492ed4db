import { AppError } from '@holdfast/http-kit';
import {
  lexSegments,
  parseNameList,
  parseQualifiedName,
  parseSingleName,
  type Segment,
  segmentText,
} from '@holdfast/path-grammar';

/** What comments, annotations and access lists of a URL stand on. */
export type SubjectTarget =
  | { readonly kind: 'catalog' }
  | { readonly kind: 'schema'; readonly schema: string }
  | ({ readonly kind: 'table' } & TablePath)
  | ({ readonly kind: 'column'; readonly column: string } & TablePath)
  | ({ readonly kind: 'key'; readonly columns: readonly string[] } & TablePath)
  | ({ readonly kind: 'foreign_key' } & ForeignKeyPath);

/** A model resource as its URL names it (spec/catalog-model.md 1.3). */
export type ModelTarget =
  | Exclude<SubjectTarget, { readonly kind: 'catalog' }>
  | { readonly kind: 'schemas' }
  | { readonly kind: 'tables'; readonly schema: string }
  | ({ readonly kind: 'columns' } & TablePath)
  | ({ readonly kind: 'keys' } & TablePath)
  | ({ readonly kind: 'foreign_keys' } & ForeignKeyFilter)
  | { readonly kind: 'comment'; readonly subject: SubjectTarget }
  | { readonly kind: 'annotations'; readonly subject: SubjectTarget }
  | { readonly kind: 'annotation'; readonly subject: SubjectTarget; readonly key: string }
  | { readonly kind: 'acls'; readonly subject: SubjectTarget }
  | { readonly kind: 'acl'; readonly subject: SubjectTarget; readonly name: string }
  | { readonly kind: 'acl_bindings'; readonly subject: BoundTarget }
  | { readonly kind: 'acl_binding'; readonly subject: BoundTarget; readonly name: string };

/** The subjects that have bindings (19.1). */
export type BoundTarget = Extract<SubjectTarget, { readonly kind: 'table' | 'column' | 'foreign_key' }>;

export interface TablePath {
  readonly schema: string;
  readonly table: string;
}

/** List forms: null where the URL does not say. */
export interface ForeignKeyFilter extends TablePath {
  readonly columns: readonly string[] | null;
  readonly referenced: TableReference | null;
}

export interface ForeignKeyPath extends TablePath {
  readonly columns: readonly string[];
  readonly referenced: TableReference;
  readonly referencedColumns: readonly string[];
}

/** One name: of a table that must be the only one of that name the client sees. */
export interface TableReference {
  readonly schema: string | null;
  readonly table: string;
}

/**
 * Reads the path of a model resource.
 * @param path raw, behind the catalog segment, without the query
 * @throws {AppError} `not_found` for an unknown word, `bad_syntax` for an empty segment
 * @throws {PathSyntaxError} for names that are none
 */
export function parseModelTarget(path: string): ModelTarget {
  const segments = [...lexSegments(path)];
  const slash = segments.length > 1 && segments.at(-1)?.raw === '';
  if (slash) segments.pop();
  if (segments.some(({ raw }) => raw === ''))
    throw new AppError('bad_syntax', 'The path has an empty segment between two slashes.');
  const cursor: Cursor = { segments, position: 0, slash };
  const target = catalogLevel(cursor);
  if (peek(cursor) !== undefined) throw unknown(cursor);
  return target;
}

interface Cursor {
  readonly segments: readonly Segment[];
  position: number;
  /** Whether a slash ends the path. */
  readonly slash: boolean;
}

function catalogLevel(cursor: Cursor): ModelTarget {
  if (!skip(cursor, 'schema')) return configuration(cursor, { kind: 'catalog' });
  const name = next(cursor);
  if (name === undefined) return { kind: 'schemas' };
  const schema = parseSingleName(name).text;
  if (!skip(cursor, 'table')) return orConfiguration(cursor, { kind: 'schema', schema });
  const table = next(cursor);
  if (table === undefined) return { kind: 'tables', schema };
  return tableLevel(cursor, { schema, table: parseSingleName(table).text });
}

function tableLevel(cursor: Cursor, path: TablePath): ModelTarget {
  if (skip(cursor, 'column')) {
    const name = next(cursor);
    if (name === undefined) return { kind: 'columns', ...path };
    return orConfiguration(cursor, { kind: 'column', ...path, column: parseSingleName(name).text });
  }
  if (skip(cursor, 'key')) {
    const names = next(cursor);
    if (names === undefined) return { kind: 'keys', ...path };
    return orConfiguration(cursor, { kind: 'key', ...path, columns: nameList(names) });
  }
  if (skip(cursor, 'foreignkey')) return foreignKeyLevel(cursor, path);
  return orConfiguration(cursor, { kind: 'table', ...path });
}

/** Spec/catalog-model.md 16.1. */
function foreignKeyLevel(cursor: Cursor, path: TablePath): ModelTarget {
  const own = next(cursor);
  if (own === undefined) return { kind: 'foreign_keys', ...path, columns: null, referenced: null };
  const columns = nameList(own);
  if (!skip(cursor, 'reference')) return { kind: 'foreign_keys', ...path, columns, referenced: null };
  const reference = next(cursor);
  if (reference === undefined) return { kind: 'foreign_keys', ...path, columns, referenced: null };
  const referenced = tableReference(reference);
  const others = next(cursor);
  if (others === undefined) return { kind: 'foreign_keys', ...path, columns, referenced };
  return orConfiguration(cursor, {
    kind: 'foreign_key',
    ...path,
    columns,
    referenced,
    referencedColumns: nameList(others),
  });
}

function tableReference(segment: Segment): TableReference {
  const { parts } = parseQualifiedName(segment);
  const [first = '', second] = parts;
  if (parts.length > 2) throw new AppError('bad_syntax', 'A table is written table or schema:table.');
  return second === undefined ? { schema: null, table: first } : { schema: first, table: second };
}

function nameList(segment: Segment): readonly string[] {
  return parseNameList(segment).map(({ text }) => text);
}

function orConfiguration(cursor: Cursor, subject: Exclude<SubjectTarget, { readonly kind: 'catalog' }>): ModelTarget {
  return peek(cursor) === undefined ? subject : configuration(cursor, subject);
}

/** Which kinds have which sub-resources (19.1). */
const withoutComment: ReadonlySet<string> = new Set(['catalog']);
const withoutAcls: ReadonlySet<string> = new Set(['key']);

function configuration(cursor: Cursor, subject: SubjectTarget): ModelTarget {
  if (!withoutComment.has(subject.kind) && skip(cursor, 'comment')) return { kind: 'comment', subject };
  if (skip(cursor, 'annotation')) {
    const key = next(cursor);
    if (key === undefined) return { kind: 'annotations', subject };
    requireBareEnd(cursor);
    return { kind: 'annotation', subject, key: segmentText(key) };
  }
  if (!withoutAcls.has(subject.kind) && skip(cursor, 'acl')) {
    const name = next(cursor);
    if (name === undefined) return { kind: 'acls', subject };
    requireBareEnd(cursor);
    return { kind: 'acl', subject, name: segmentText(name) };
  }
  if (hasBindings(subject) && skip(cursor, 'acl_binding')) {
    const name = next(cursor);
    if (name === undefined) return { kind: 'acl_bindings', subject };
    requireBareEnd(cursor);
    return { kind: 'acl_binding', subject, name: segmentText(name) };
  }
  throw unknown(cursor);
}

function hasBindings(subject: SubjectTarget): subject is BoundTarget {
  return subject.kind === 'table' || subject.kind === 'column' || subject.kind === 'foreign_key';
}

/** A slash behind a single annotation or list would mean an empty key (1.2). */
function requireBareEnd(cursor: Cursor): void {
  if (cursor.slash) throw new AppError('not_found', 'There is nothing behind the last slash.');
}

function unknown(cursor: Cursor): AppError {
  const word = peek(cursor)?.raw ?? '';
  return new AppError('not_found', `There is no resource ${JSON.stringify(word.slice(0, 100))} here.`);
}

function peek(cursor: Cursor): Segment | undefined {
  return cursor.segments[cursor.position];
}

function next(cursor: Cursor): Segment | undefined {
  const segment = peek(cursor);
  if (segment !== undefined) cursor.position += 1;
  return segment;
}

/** Words compare as written, so an escaped word is a name. */
function skip(cursor: Cursor, word: string): boolean {
  if (peek(cursor)?.raw !== word) return false;
  cursor.position += 1;
  return true;
}
