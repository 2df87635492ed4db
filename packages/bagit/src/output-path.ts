import { BagWriteError, UnsafePathError } from './errors.js';

const MAX_SEGMENT_BYTES = 255;
const MAX_PATH_BYTES = 1024;
const MAX_DEPTH = 32;

/** Short segments of letters, digits and a few signs, none of which begins with a dot: all checks below let these pass unchanged. */
const PLAIN = /^[A-Za-z0-9_-][A-Za-z0-9._ -]{0,99}(?:\/[A-Za-z0-9_-][A-Za-z0-9._ -]{0,99}){0,8}$/;

/**
 * Checks a relative output path and gives it back in its one normal form: NFC, `/` between segments, no empty and no
 * `.` segments (spec/export.md 6.1).
 *
 * @throws UnsafePathError for anything that could leave the root, hide in a log, or not be a file name elsewhere.
 */
export function checkOutputPath(path: string): string {
  // a million references have a million paths, nearly all of them plain
  if (PLAIN.test(path)) return path;
  if (/\p{Surrogate}/u.test(path)) throw new UnsafePathError(path, 'lone_surrogate', 'it is not Unicode text');
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) {
    throw new UnsafePathError(path, 'control_character', 'it has a control character');
  }
  if (path.includes('\\')) throw new UnsafePathError(path, 'backslash', 'it has a backslash');
  if (path.startsWith('/')) throw new UnsafePathError(path, 'absolute', 'it is absolute');
  const segments = path
    .normalize('NFC')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (segments.length === 0) throw new UnsafePathError(path, 'empty', 'it names nothing');
  if (segments.includes('..')) throw new UnsafePathError(path, 'parent_segment', "it has a segment '..'");
  if (segments.length > MAX_DEPTH)
    throw new UnsafePathError(path, 'too_deep', `it has more than ${MAX_DEPTH} segments`);
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)) {
    throw new UnsafePathError(path, 'segment_too_long', `a segment has more than ${MAX_SEGMENT_BYTES} bytes`);
  }
  const normal = segments.join('/');
  if (Buffer.byteLength(normal) > MAX_PATH_BYTES) {
    throw new UnsafePathError(path, 'path_too_long', `it has more than ${MAX_PATH_BYTES} bytes`);
  }
  return normal;
}

/**
 * The weaker check for files that already have their names, as in bagging a directory: the name is kept byte for byte
 * (line ends and all), it only may not leave the root.
 *
 * @throws UnsafePathError
 */
export function checkVerbatimPath(path: string): string {
  if (path === '') throw new UnsafePathError(path, 'empty', 'it names nothing');
  if (/\p{Surrogate}/u.test(path)) throw new UnsafePathError(path, 'lone_surrogate', 'it is not Unicode text');
  if (path.includes('\0')) throw new UnsafePathError(path, 'control_character', 'it has a NUL character');
  if (path.startsWith('/')) throw new UnsafePathError(path, 'absolute', 'it is absolute');
  const segments = path.split('/');
  if (segments.includes('..')) throw new UnsafePathError(path, 'parent_segment', "it has a segment '..'");
  if (segments.some((segment) => segment === '' || segment === '.')) {
    throw new UnsafePathError(path, 'empty', "it has an empty segment or '.'");
  }
  return path;
}

/**
 * Checks the name of a bag, which becomes the top directory of its archive (spec/export.md 2.4, 6.1).
 *
 * @throws BagWriteError `bad_name`, UnsafePathError
 */
export function checkBagName(name: string): string {
  const length = [...name].length;
  if (length < 1 || length > 128) throw new BagWriteError('bad_name', 'a bag name has 1 to 128 characters');
  if (name.includes('/') || name.startsWith('.')) {
    throw new BagWriteError('bad_name', `the bag name ${JSON.stringify(name)} has a '/' or starts with '.'`);
  }
  return checkOutputPath(name);
}

/**
 * The names taken in one output tree; refuses a file where there is one already, or where a directory is, or below a file
 * (spec/export.md 6.2). Paths are to be normal already.
 */
export class PayloadPaths {
  readonly #files = new Set<string>();
  /** directory -> number of files below it */
  readonly #directories = new Map<string, number>();
  readonly #lowerCase = new Map<string, string>();

  /**
   * Takes a path. The answer names a path taken before that differs only in case: allowed, worth a warning.
   *
   * @throws BagWriteError `path_collision`
   */
  claim(path: string): { readonly caseTwin: string | undefined } {
    if (this.#files.has(path)) throw collision(path, 'there is already a file of that path');
    if (this.#directories.has(path)) throw collision(path, 'it is the directory of another file');
    const parents = parentsOf(path);
    const blocked = parents.find((parent) => this.#files.has(parent));
    if (blocked !== undefined)
      throw collision(path, `${JSON.stringify(blocked)} is a file, so nothing can be below it`);
    this.#files.add(path);
    for (const parent of parents) this.#directories.set(parent, (this.#directories.get(parent) ?? 0) + 1);
    const folded = path.toLowerCase();
    const caseTwin = this.#lowerCase.get(folded);
    if (caseTwin === undefined) this.#lowerCase.set(folded, path);
    return { caseTwin };
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** Gives a path back: its file was not written after all. */
  release(path: string): void {
    if (!this.#files.delete(path)) return;
    for (const parent of parentsOf(path)) {
      const left = (this.#directories.get(parent) ?? 1) - 1;
      if (left === 0) this.#directories.delete(parent);
      else this.#directories.set(parent, left);
    }
    if (this.#lowerCase.get(path.toLowerCase()) === path) this.#lowerCase.delete(path.toLowerCase());
  }
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at));
  return parents;
}

function collision(path: string, why: string): BagWriteError {
  return new BagWriteError('path_collision', `cannot write ${JSON.stringify(path)}: ${why}`, { path });
}
