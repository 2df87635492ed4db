import { type ColumnType, scalarOf } from './column-types.js';
import { stringifyExact, withoutMark } from './exact-numbers.js';
import type { Json } from './model.js';

/** A JSON constant as the text that PostgreSQL's input of the type takes. */
export function constantText(type: ColumnType, value: Json): string {
  if (type.kind === 'array' && Array.isArray(value)) {
    const items = value.map((item) => (item === null ? 'NULL' : quoted(scalarText(type, item))));
    return `{${items.join(',')}}`;
  }
  return scalarText(type, value);
}

function scalarText(type: ColumnType, value: Json): string {
  const { storage } = scalarOf(type);
  if (storage === 'json' || storage === 'jsonb') return stringifyExact(value);
  return typeof value === 'string' ? withoutMark(value) : JSON.stringify(value);
}

/** An item of an array literal. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
