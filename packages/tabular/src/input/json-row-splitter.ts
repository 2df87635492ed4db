import { type InputPosition, TabularError, type TabularErrorCode } from '../tabular-error.js';

/** Receives each row as bytes `from` up to `to`: the text of one JSON object, as it was sent. */
export type JsonRowSink = (bytes: Buffer, from: number, to: number) => void;

/** Cuts input into rows; the two formats differ only in how rows are told apart. */
export interface JsonRowSplitter {
  readonly position: InputPosition;
  push(chunk: Buffer): void;
  /** @throws TabularError if the input ends too early */
  end(): void;
}

export interface JsonSplitOptions {
  /** Limit for one row, in bytes. */
  readonly maxRowBytes: number;
}

/** Keeps the beginning of a row that goes over the end of a chunk, and counts rows and lines. */
export class RowAssembler {
  row = 1;
  line = 1;
  #begun: Buffer[] = [];
  #begunLength = 0;
  readonly #sink: JsonRowSink;
  readonly #maxRowBytes: number;

  constructor(sink: JsonRowSink, options: JsonSplitOptions) {
    this.#sink = sink;
    this.#maxRowBytes = options.maxRowBytes;
  }

  get empty(): boolean {
    return this.#begunLength === 0;
  }

  get position(): InputPosition {
    return { row: this.row, line: this.line };
  }

  /** The row goes on in the next chunk. */
  keep(bytes: Buffer, from: number, to: number): void {
    if (to <= from) return;
    this.#begunLength += to - from;
    this.#checkLength(this.#begunLength);
    this.#begun.push(bytes.subarray(from, to));
  }

  /** The row ends here. */
  finish(bytes: Buffer, from: number, to: number): void {
    this.#checkLength(this.#begunLength + to - from);
    if (this.#begunLength === 0) this.#emit(bytes, from, to);
    else {
      const whole = Buffer.concat([...this.#begun, bytes.subarray(from, to)]);
      this.#begun = [];
      this.#begunLength = 0;
      this.#emit(whole, 0, whole.length);
    }
  }

  fault(code: TabularErrorCode, problem: string): TabularError {
    return new TabularError(code, this.position, problem);
  }

  #checkLength(length: number): void {
    if (length > this.#maxRowBytes) throw this.fault('row_too_long', `longer than ${this.#maxRowBytes} bytes`);
  }

  #emit(bytes: Buffer, from: number, to: number): void {
    const [first, end] = trimmed(bytes, from, to);
    if (first === end) return;
    this.#checkObject(bytes, first, end);
    this.#sink(bytes, first, end);
    this.row += 1;
  }

  /**
   * V8's parser decides whether the row is JSON: it runs at some hundred MB/s and reports no less than the database
   * would. Bytes go to it as Latin-1, which is quick and changes nothing, because all of JSON's grammar is ASCII.
   */
  #checkObject(bytes: Buffer, from: number, to: number): void {
    const text = bytes.toString('latin1', from, to);
    try {
      JSON.parse(text);
    } catch {
      throw this.fault('bad_json', 'not valid JSON');
    }
    if (bytes[from] !== OPEN_BRACE) throw this.fault('not_an_object', 'a row is a JSON object');
    if (text.includes('\\u0000') && ESCAPED_NUL.test(text)) {
      throw this.fault('nul', 'the character U+0000 cannot be stored');
    }
    const half = text.includes('\\u') ? halfCharacter(text) : null;
    if (half !== null) throw this.fault('half_character', `the escape ${half} stands for half a character`);
  }
}

const OPEN_BRACE = 0x7b;
/** `\u0000` whose backslash is not itself escaped. */
const ESCAPED_NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/;

/** An escape that stands for a surrogate without its partner, which is no text; null when there is none. */
function halfCharacter(text: string): string | null {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return null;
  for (const [written, half] of text.matchAll(ESCAPES)) if (half !== undefined) return written;
  return null;
}

/** The escapes one after the other: a pair, a surrogate alone, any other. */
const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(u)[dD][89a-fA-F][0-9a-fA-F]{2}|\\./g;

function trimmed(bytes: Buffer, from: number, to: number): readonly [number, number] {
  let first = from;
  let end = to;
  while (first < end && isSpace(bytes[first])) first += 1;
  while (end > first && isSpace(bytes[end - 1])) end -= 1;
  return [first, end];
}

/** White space of JSON (RFC 8259, section 2). */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
