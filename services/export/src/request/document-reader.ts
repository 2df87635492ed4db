import { AppError } from '@holdfast/http-kit';

/** Reads one object of a request: typed members, faults with their JSON pointer, and the members nobody asked for. */
export interface ObjectReader {
  /** JSON pointer of the object itself. */
  readonly pointer: string;
  has(name: string): boolean;
  /** A string; null when absent. Wrong types are refused (spec/export.md 2.2). */
  string(name: string): string | null;
  boolean(name: string): boolean | null;
  integer(name: string): number | null;
  array(name: string): readonly unknown[] | null;
  object(name: string): ObjectReader | null;
  /** A member as it is; undefined when absent. */
  raw(name: string): unknown;
  names(): readonly string[];
  /** Pointers of members that nobody has read. */
  unread(): readonly string[];
}

/** The refusal of something in the request, found by its pointer. */
export function badRequest(pointer: string, problem: string): AppError {
  return new AppError('bad_request', `${pointer === '' ? 'The request' : pointer} ${problem}`);
}

/**
 * Opens an object for reading.
 * @throws {AppError} `bad_request` when it is none
 */
export function readObject(value: unknown, pointer: string): ObjectReader {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(pointer, 'must be a JSON object.');
  }
  const members = new Map<string, unknown>(Object.entries(value));
  const read = new Set<string>();
  const children: ObjectReader[] = [];
  const at = (name: string): string => `${pointer}/${escapePointer(name)}`;
  // null stands for a member that is left out
  const take = (name: string): unknown => {
    read.add(name);
    return members.get(name) ?? undefined;
  };
  const typed = <Type>(name: string, isType: (found: unknown) => found is Type, wanted: string): Type | null => {
    const found = take(name);
    if (found === undefined) return null;
    if (!isType(found)) throw badRequest(at(name), `must be ${wanted}.`);
    return found;
  };
  return {
    pointer,
    has: (name) => take(name) !== undefined,
    string: (name) => typed(name, isString, 'a string'),
    boolean: (name) => {
      const found = take(name);
      if (found === undefined) return null;
      // spec/export.md 3: both true and "true" occur
      if (found === true || found === 'true') return true;
      if (found === false || found === 'false') return false;
      throw badRequest(at(name), 'must be true or false.');
    },
    integer: (name) => typed(name, isInteger, 'a whole number'),
    array: (name) => typed(name, isArray, 'an array'),
    object: (name) => {
      const found = take(name);
      if (found === undefined) return null;
      const child = readObject(found, at(name));
      children.push(child);
      return child;
    },
    raw: take,
    names: () => [...members.keys()],
    unread: () => [
      ...[...members.keys()].filter((name) => !read.has(name)).map(at),
      ...children.flatMap((child) => child.unread()),
    ],
  };
}

/** RFC 6901. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
