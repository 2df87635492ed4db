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
 * Checks that a path has no reserved character unescaped but those that are syntax.
 * @throws {AppError} `bad_name`
 */
export function refuseSubDelimiters(path: string): void {
  const found = /[!$&'()*+,=@]/.exec(path);
  if (found !== null)
    throw new AppError('bad_name', `Character ${found.index + 1} of the path must be percent-encoded.`);
}

/**
 * Decodes one element of a checked path: a segment of a name, or what follows it. None of them has control characters.
 * @throws {AppError} `bad_name` when the bytes are not UTF-8, or hold such a character
 */
export function decodeElement(element: string): string {
  const decoded = decodedUtf8(element);
  if (/\p{Cc}/u.test(decoded))
    throw new AppError('bad_name', `${JSON.stringify(element)} has a control character, which no name may contain.`);
  return decoded;
}

function decodedUtf8(element: string): string {
  try {
    return decodeURIComponent(element);
  } catch (error) {
    throw new AppError('bad_name', `${JSON.stringify(element)} does not decode to UTF-8.`, { cause: error });
  }
}
