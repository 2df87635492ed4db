import type { Token, TokenKind } from './lexer.js';
import { PathSyntaxError, shorten } from './syntax-error.js';

/** Nesting of parentheses in one filter. Far beyond what people or clients write, and far below the stack's limit. */
const DEEPEST_NESTING = 100;

/** A position in a token list, with the moves a recursive-descent parser needs. */
export class TokenCursor {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #at = 0;
  #depth = 0;

  /** `tokens` as `tokenize` gave them for `source`: the last one is `end`. */
  constructor(source: string, tokens: readonly Token[]) {
    const end = tokens.at(-1);
    if (end?.kind !== 'end') throw new TypeError('a token list ends with an end token');
    this.#source = source;
    this.#tokens = tokens;
    this.#end = end;
  }

  get token(): Token {
    return this.peek(0);
  }

  /** The index of the current token; pairs with `peekAt`. */
  get index(): number {
    return this.#at;
  }

  peek(distance: number): Token {
    return this.#tokens[this.#at + distance] ?? this.#end;
  }

  peekAt(index: number): Token {
    return this.#tokens[index] ?? this.#end;
  }

  at(kind: TokenKind): boolean {
    return this.token.kind === kind;
  }

  /** True at this keyword, written raw; an escaped word is data (spec/catalog-data.md 1.1.3). */
  atWord(word: string): boolean {
    return this.token.kind === 'string' && !this.token.escaped && this.token.text === word;
  }

  next(): Token {
    const token = this.token;
    if (token.kind !== 'end') this.#at += 1;
    return token;
  }

  /** Takes the token when it is of this kind, else stays. */
  skip(kind: TokenKind): boolean {
    if (!this.at(kind)) return false;
    this.#at += 1;
    return true;
  }

  /** Takes a token of this kind, or throws with `expectation` as the advice. */
  expect(kind: TokenKind, expectation: string): Token {
    if (!this.at(kind)) throw this.error(expectation);
    return this.next();
  }

  /** Runs `parse` one level of parentheses deeper; the bound turns endless nesting into a syntax error. */
  nested<T>(parse: () => T): T {
    if (this.#depth >= DEEPEST_NESTING) {
      throw this.error(`parentheses are nested deeper than ${DEEPEST_NESTING} levels`);
    }
    this.#depth += 1;
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  /** A syntax error at `token` (the current one unless given); `advice` says what is wrong or what was expected. */
  error(advice: string, token: Token = this.token): PathSyntaxError {
    const raw = this.#source.slice(token.offset, token.end);
    const what = token.kind === 'end' ? 'Unexpected end' : `Unexpected "${shorten(raw)}"`;
    return new PathSyntaxError(`${what} at position ${token.offset}: ${advice}.`, token.offset, raw);
  }
}
