import { type InputPosition, TabularError, type TabularErrorCode } from '../tabular-error.js';

/** Told where records end, as offsets into the bytes being scanned. */
export interface RecordSink {
  /** @param contentEnd end of the record's own bytes @param next start of the record that follows its LF or CRLF */
  record(contentEnd: number, next: number): void;
  /** A record that is exactly `\.` and that COPY might take for the end of all data; it starts at `at`. */
  endMarkLookalike(at: number): void;
}

type State = 'field-start' | 'unquoted' | 'quoted' | 'quote-in-quoted';

/**
 * Finds the records of CSV input (RFC 4180, spec/catalog-data.md 4.5) and checks them: quotes, record ends, widths, NUL.
 * It looks at each byte once and copies none.
 *
 * Our own, because no parser here does what is needed: fast-csv cannot tell an unquoted empty field (NULL) from a quoted one (the
 * empty string), and makes a JavaScript string of every field, while COPY only needs to know that the bytes are right.
 *
 * Stricter than COPY with quotes: COPY lets a quote inside an unquoted field begin a quoted part, and so swallows lines up
 * to the next quote. Here that is an error with its line.
 */
export class CsvScanner {
  /** Fields of a record; set by the first one. */
  width: number | null = null;
  /** Records ended so far, the header included. */
  records = 0;
  #line = 1;
  #state: State = 'field-start';
  #fields = 0;
  #recordStarted = false;
  #quoteLine = 1;
  readonly #sink: RecordSink;

  constructor(sink: RecordSink) {
    this.#sink = sink;
  }

  /** The record being read. */
  get position(): InputPosition {
    return { row: this.records, line: this.#line };
  }

  /**
   * @param last nothing follows
   * @param until stop behind the first record that ends here, or go on to the end (but for three bytes at most)
   * @returns how many bytes were dealt with; the caller shows the others again, before those that follow
   */
  scan(bytes: Buffer, last: boolean, until: 'record' | 'end' = 'end'): number {
    const end = bytes.length;
    let at = 0;
    let state = this.#state;
    while (at < end) {
      switch (state) {
        case 'quoted': {
          while (at < end && QUOTED_STOPS[bytes[at] ?? 0] === 0) at += 1;
          if (at === end) break;
          const byte = bytes[at];
          if (byte === NUL) throw this.#nul();
          if (byte === LF) this.#line += 1;
          else state = 'quote-in-quoted';
          at += 1;
          break;
        }
        case 'quote-in-quoted': {
          if (bytes[at] === QUOTE) {
            state = 'quoted';
            at += 1;
            break;
          }
          if (UNQUOTED_STOPS[bytes[at] ?? 0] === 0) throw this.#fault('bad_quote', 'text after a closing quote');
          // the separator or record end that follows is read as after any field
          state = 'unquoted';
          break;
        }
        case 'field-start': {
          const byte = bytes[at];
          if (byte === BACKSLASH && this.width === 1 && !this.#recordStarted) {
            const lookalike = endMarkLookalike(bytes, at, last);
            if (lookalike === 'unknown') return this.#pause(state, at);
            if (lookalike === 'yes') this.#sink.endMarkLookalike(at);
          }
          this.#recordStarted = true;
          if (byte === QUOTE) {
            this.#quoteLine = this.#line;
            state = 'quoted';
            at += 1;
          } else state = 'unquoted';
          break;
        }
        case 'unquoted': {
          while (at < end && UNQUOTED_STOPS[bytes[at] ?? 0] === 0) at += 1;
          if (at === end) break;
          switch (bytes[at]) {
            case COMMA:
              this.#fields += 1;
              state = 'field-start';
              at += 1;
              break;
            case LF:
              this.#endRecord(at, at + 1);
              state = 'field-start';
              at += 1;
              if (until === 'record') return this.#pause(state, at);
              break;
            case CR:
              if (at + 1 === end && !last) return this.#pause(state, at);
              if (bytes[at + 1] !== LF) {
                throw this.#fault('bad_record_end', 'a carriage return outside quotes is not followed by a line feed');
              }
              this.#endRecord(at, at + 2);
              state = 'field-start';
              at += 2;
              if (until === 'record') return this.#pause(state, at);
              break;
            case QUOTE:
              throw this.#fault('bad_quote', 'a quote inside a field that does not start with one');
            default:
              throw this.#nul();
          }
          break;
        }
        default:
          return unknownState(state);
      }
    }
    this.#state = state;
    if (last) this.#finish(end);
    return end;
  }

  #pause(state: State, at: number): number {
    this.#state = state;
    return at;
  }

  #finish(end: number): void {
    if (this.#state === 'quoted') {
      const position = { row: this.records, line: this.#quoteLine };
      throw new TabularError('unterminated_quote', position, 'the quoted field that starts here never ends');
    }
    // the last record end is optional; without one, what was begun is a record
    if (this.#recordStarted) this.#endRecord(end, end);
  }

  #endRecord(contentEnd: number, next: number): void {
    const fields = this.#fields + 1;
    if (fields !== this.width) {
      if (this.width !== null) throw this.#wrongWidth(fields, this.width);
      this.width = fields;
    }
    this.#sink.record(contentEnd, next);
    this.records += 1;
    this.#line += 1;
    this.#fields = 0;
    this.#recordStarted = false;
  }

  #wrongWidth(fields: number, width: number): TabularError {
    const problem = `${fields} ${fields === 1 ? 'field' : 'fields'} where the header has ${width}`;
    return this.#fault(fields < width ? 'too_few_fields' : 'too_many_fields', problem);
  }

  #nul(): TabularError {
    return this.#fault('nul', 'the character U+0000 cannot be stored');
  }

  #fault(code: TabularErrorCode, problem: string): TabularError {
    return new TabularError(code, this.position, problem);
  }
}

const NUL = 0x00;
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const BACKSLASH = 0x5c;

const UNQUOTED_STOPS = stops(NUL, LF, CR, QUOTE, COMMA);
const QUOTED_STOPS = stops(NUL, LF, QUOTE);

function stops(...bytes: readonly number[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) table[byte] = 1;
  return table;
}

function endMarkLookalike(bytes: Buffer, at: number, last: boolean): 'yes' | 'no' | 'unknown' {
  const left = bytes.length - at;
  if (left < 2) return last ? 'no' : 'unknown';
  if (bytes[at + 1] !== DOT) return 'no';
  if (left < 3) return last ? 'yes' : 'unknown';
  // a CR that no LF follows is refused in any case
  return bytes[at + 2] === LF || bytes[at + 2] === CR ? 'yes' : 'no';
}

function unknownState(state: never): never {
  throw new TypeError(`unknown state ${String(state)}`);
}
