import { AppError } from '@holdfast/http-kit';
import { type ColumnType, type ScalarType, type StorageType, scalarOf, typeName } from './column-types.js';
import { constantText } from './constant-text.js';
import { parseExact } from './exact-numbers.js';
import type { Json } from './model.js';

/**
 * Text of a URL that stands for a value of a type. `type` is PostgreSQL's name to cast it to: the storage type, or `numeric` for an
 * integer beyond the type's range, which is legal and simply compares (spec/catalog-data.md 3.2.3).
 */
export interface LiteralValue {
  readonly text: string;
  readonly type: StorageType | `${StorageType}[]`;
}

const INT8_MIN = -(2n ** 63n);
const INT8_MAX = 2n ** 63n - 1n;
const INTEGER = /^[+-]?[0-9]+$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const NOT_FINITE = /^([+-]?infinity|nan)$/i;
const BOOLEAN = /^(true|false|t|f|yes|no|y|n|on|off|1|0)$/i;

/**
 * Reads the literal of a scalar, or of an element when the column is an array. Numbers, booleans and JSON are checked here; the
 * other forms are PostgreSQL's to judge, whose refusal becomes 400 too.
 * @throws {AppError} `bad_value`, naming type and value
 */
export function readLiteral(text: string, type: ColumnType): LiteralValue {
  const scalar = scalarOf(type);
  const { storage } = scalar;
  switch (storage) {
    case 'int2':
    case 'int4':
    case 'int8':
      return readInteger(text, scalar);
    case 'float4':
    case 'float8':
    case 'numeric':
      if (!DECIMAL.test(text) && !NOT_FINITE.test(text)) throw badLiteral(text, scalar, 'a decimal number');
      return { text, type: storage };
    case 'boolean':
      if (!BOOLEAN.test(text)) throw badLiteral(text, scalar, 'true or false');
      return { text, type: storage };
    case 'json':
    case 'jsonb':
      return { text: readJsonText(text, scalar), type: storage };
    case 'text':
    case 'date':
    case 'time':
    case 'timetz':
    case 'timestamp':
    case 'timestamptz':
    case 'interval':
    case 'uuid':
    case 'oid':
    case 'tstzrange':
      return { text, type: storage };
    default:
      return storage satisfies never;
  }
}

/**
 * Reads a page key of an array column: PostgreSQL's array text, or a JSON array (spec/catalog-data.md 3.9), whose elements mean what they
 * mean in the body of a request: `null` is NULL, but JSON null in an array of JSON (4.5).
 * @throws {AppError} `bad_value`
 */
export function readArrayLiteral(text: string, element: ScalarType): LiteralValue {
  const type = `${element.storage}[]` as const;
  if (!text.trimStart().startsWith('[')) return { text, type };
  const items = parseJson(text);
  if (!Array.isArray(items))
    throw new AppError('bad_value', `${JSON.stringify(text)} is neither an array literal nor a JSON array.`);
  const texts = items.map((item: Json) => {
    if (item === null && element.storage !== 'jsonb') return 'NULL';
    return `"${constantText(element, item).replace(/[\\"]/g, '\\$&')}"`;
  });
  return { text: `{${texts.join(',')}}`, type };
}

/** Reads a page key of an output that is a JSON document (`bin`, `array`, `trs`, `jsonb`). */
export function readJsonLiteral(text: string): LiteralValue {
  if (parseJson(text) === undefined)
    throw new AppError('bad_value', `${JSON.stringify(text)} is not JSON; the page key of a JSON output is JSON text.`);
  return { text, type: 'jsonb' };
}

function readInteger(text: string, scalar: ScalarType): LiteralValue {
  if (!INTEGER.test(text)) throw badLiteral(text, scalar, 'a whole number');
  const value = BigInt(text.replace(/^\+/, ''));
  return { text: value.toString(), type: value >= INT8_MIN && value <= INT8_MAX ? 'int8' : 'numeric' };
}

function readJsonText(text: string, scalar: ScalarType): string {
  if (parseJson(text) === undefined) throw badLiteral(text, scalar, 'JSON text');
  return text;
}

/** The value, or undefined for what is not JSON. */
function parseJson(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

function badLiteral(text: string, type: ScalarType, expected: string): AppError {
  return new AppError(
    'bad_value',
    `${JSON.stringify(text.slice(0, 100))} is no value of type ${typeName(type)}; expected ${expected}.`,
  );
}
