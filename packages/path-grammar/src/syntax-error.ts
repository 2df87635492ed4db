/**
 * The URL does not follow the grammar (or asks for something that can be refused by looking at the request alone): 400.
 * `message` names the token and says what to do; `offset` counts UTF-16 units from the start of the text that was handed
 * to the parser; `token` is the offending piece as it stood in the URL (shortened), empty at the end of the input.
 */
export class PathSyntaxError extends Error {
  readonly offset: number;
  readonly token: string;

  constructor(message: string, offset: number, token: string) {
    super(message);
    this.name = 'PathSyntaxError';
    this.offset = offset;
    this.token = shorten(token);
  }
}

/** The URL names no resource of the data API (unknown resource word, or no row id after `entity_rid/`): 404. */
export class UnknownResourceError extends Error {
  readonly offset: number;
  readonly token: string;

  constructor(message: string, offset: number, token: string) {
    super(message);
    this.name = 'UnknownResourceError';
    this.offset = offset;
    this.token = shorten(token);
  }
}

const LONGEST_QUOTE = 60;

/** Error texts go into logs and answers: a value list of 8 KiB in them helps nobody. */
export function shorten(token: string): string {
  return token.length <= LONGEST_QUOTE ? token : `${token.slice(0, LONGEST_QUOTE)}…`;
}
