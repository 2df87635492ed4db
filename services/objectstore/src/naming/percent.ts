import { AppError } from '@holdfast/http-kit';

/**
 * Characters that may stand unescaped in a path: unreserved, the other reserved ones without meaning, and the three
 * that are syntax (spec/objectstore.md 2.1, 2.2).
 */
const PATH_CHARACTERS = /^[A-Za-z0-9\-._~!$&'()*+,=@%/:;]*$/;

/**
 * Checks the characters of an undecoded path and its percent sequences.
 * @throws {AppError} `bad_name`, with the place of the fault
 */
export function checkPathCharacters(path: string): void {
  if (!PATH_CHARACTERS.test(path)) {
    const at = [...path].findIndex((character) => !PATH_CHARACTERS.test(character));
    throw new AppError('bad_name', `Character ${at + 1} of the path must be percent-encoded.`);
  }
  const broken = path.search(/%(?![0-9A-Fa-f]{2})/);
  if (broken >= 0)
    throw new AppError(
      'bad_name',
      `The "%" at character ${broken + 1} of the path must be followed by two hex digits.`,
    );
}

/**
 * Decodes one element of a checked path.
 * @throws {AppError} `bad_name` when the bytes are not UTF-8
 */
export function decodeElement(element: string): string {
  try {
    return decodeURIComponent(element);
  } catch (error) {
    throw new AppError('bad_name', `${JSON.stringify(element)} does not decode to UTF-8.`, { cause: error });
  }
}
