/**
 * What can be wrong with rows that come in. All of them are the sender's to mend (400; `row_too_long` may be a 413).
 *
 * | code | meaning |
 * |---|---|
 * | `bad_utf8` | bytes that are not UTF-8 |
 * | `nul` | the character U+0000, raw or as a JSON escape: the database cannot hold it |
 * | `half_character` | JSON: an escape such as `\ud83d` without the one that it makes a character with |
 * | `bad_quote` | CSV: a quote inside an unquoted field, or text after a closing quote |
 * | `unterminated_quote` | CSV: the input ends inside a quoted field |
 * | `bad_record_end` | CSV: a carriage return outside quotes that no line feed follows |
 * | `too_few_fields`, `too_many_fields` | CSV: a record that is not as wide as the header |
 * | `bad_json` | not JSON, or not finished |
 * | `not_an_array` | JSON: the body is not an array |
 * | `not_an_object` | JSON: a row is not an object |
 * | `row_too_long` | a row, or the CSV header, is longer than the limit |
 */
export type TabularErrorCode =
  | 'bad_utf8'
  | 'nul'
  | 'half_character'
  | 'bad_quote'
  | 'unterminated_quote'
  | 'bad_record_end'
  | 'too_few_fields'
  | 'too_many_fields'
  | 'bad_json'
  | 'not_an_array'
  | 'not_an_object'
  | 'row_too_long';

/** Where the reader is: `row` counts rows from 1, 0 is the CSV header; `line` counts lines of the input from 1. */
export interface InputPosition {
  readonly row: number;
  readonly line: number;
}

export class TabularError extends Error {
  readonly code: TabularErrorCode;
  readonly row: number;
  readonly line: number;

  constructor(code: TabularErrorCode, position: InputPosition, problem: string) {
    const what = position.row === 0 ? 'header' : `row ${position.row}`;
    super(`${what} (line ${position.line}): ${problem}`);
    this.name = 'TabularError';
    this.code = code;
    this.row = position.row;
    this.line = position.line;
  }
}
