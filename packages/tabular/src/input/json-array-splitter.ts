import type { InputPosition } from '../tabular-error.js';
import {
  isSpace,
  type JsonRowSink,
  type JsonRowSplitter,
  type JsonSplitOptions,
  RowAssembler,
} from './json-row-splitter.js';

type Place = 'before-array' | 'before-first' | 'before-row' | 'in-row' | 'after-row' | 'after-array';

/**
 * Cuts a JSON array into the texts of its elements without building any value of it, however long it is. It follows only strings
 * and brackets; whether an element is JSON is asked once it is complete.
 */
export class JsonArraySplitter implements JsonRowSplitter {
  readonly #rows: RowAssembler;
  #place: Place = 'before-array';
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Line feeds in the row so far; they count once it is complete, so that a fault names the line where it begins. */
  #lines = 0;

  constructor(sink: JsonRowSink, options: JsonSplitOptions) {
    this.#rows = new RowAssembler(sink, options);
  }

  get position(): InputPosition {
    return this.#rows.position;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#place === 'in-row' ? this.#row(chunk, at) : this.#between(chunk, at);
  }

  end(): void {
    switch (this.#place) {
      case 'after-array':
        return;
      case 'before-array':
        throw this.#rows.fault('bad_json', 'the body is empty where a JSON array is expected');
      case 'before-first':
      case 'before-row':
      case 'in-row':
      case 'after-row':
        throw this.#rows.fault('bad_json', 'the JSON array is not finished');
      default:
        unknownPlace(this.#place);
    }
  }

  /** One byte outside of rows. */
  #between(chunk: Buffer, at: number): number {
    const byte = chunk[at];
    if (isSpace(byte)) {
      if (byte === LF) this.#rows.line += 1;
      return at + 1;
    }
    switch (this.#place) {
      case 'before-array':
        if (byte !== OPEN_BRACKET) throw this.#rows.fault('not_an_array', 'the body is a JSON array of objects');
        this.#place = 'before-first';
        return at + 1;
      case 'before-first':
        return byte === CLOSE_BRACKET ? this.#close(at) : this.#open(byte, at);
      case 'before-row':
        return this.#open(byte, at);
      case 'after-row':
        if (byte === CLOSE_BRACKET) return this.#close(at);
        if (byte !== COMMA)
          throw this.#rows.fault('bad_json', 'neither a comma nor the end of the array before this row');
        this.#place = 'before-row';
        return at + 1;
      case 'after-array':
        throw this.#rows.fault('bad_json', 'there is more after the end of the array');
      case 'in-row':
        return at;
      default:
        return unknownPlace(this.#place);
    }
  }

  #close(at: number): number {
    this.#place = 'after-array';
    return at + 1;
  }

  #open(byte: number | undefined, at: number): number {
    if (byte !== OPEN_BRACE) {
      const startsValue = byte !== undefined && VALUE_STARTS.includes(byte);
      throw startsValue
        ? this.#rows.fault('not_an_object', 'a row is a JSON object')
        : this.#rows.fault('bad_json', 'not valid JSON');
    }
    this.#place = 'in-row';
    this.#depth = 0;
    return at;
  }

  /** As much of a row as the chunk has. */
  #row(chunk: Buffer, from: number): number {
    let at = from;
    let depth = this.#depth;
    let inString = this.#inString;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    const end = chunk.length;
    while (at < end) {
      if (inString) {
        while (at < end && STRING_STOPS[chunk[at] ?? 0] === 0) at += 1;
        if (at === end) break;
        if (chunk[at] === QUOTE) {
          inString = false;
          at += 1;
        } else if (at + 1 < end) at += 2;
        else {
          this.#escaped = true;
          at += 1;
        }
        continue;
      }
      while (at < end && STRUCTURE_STOPS[chunk[at] ?? 0] === 0) at += 1;
      if (at === end) break;
      switch (chunk[at]) {
        case QUOTE:
          inString = true;
          break;
        case LF:
          this.#lines += 1;
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          depth += 1;
          break;
        default:
          depth -= 1;
      }
      at += 1;
      if (depth === 0) {
        this.#place = 'after-row';
        this.#inString = false;
        this.#rows.finish(chunk, from, at);
        this.#rows.line += this.#lines;
        this.#lines = 0;
        return at;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#rows.keep(chunk, from, end);
    return end;
  }
}

const LF = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const VALUE_STARTS = Buffer.from('["-0123456789tfn');
const STRING_STOPS = stops(QUOTE, BACKSLASH);
const STRUCTURE_STOPS = stops(QUOTE, LF, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET);

function stops(...bytes: readonly number[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) table[byte] = 1;
  return table;
}

function unknownPlace(place: never): never {
  throw new TypeError(`unknown place ${String(place)}`);
}
