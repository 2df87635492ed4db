import { AppError } from '@holdfast/http-kit';
import { z } from 'zod';
import { parseDocument } from '../model/parse-document.js';
import type { KeyDefinition } from './definitions.js';
import { constraintNames, described } from './document-parts.js';

/** Columns of a key, foreign key or index: PostgreSQL's limit. */
export const MOST_KEY_COLUMNS = 32;

const keyDocument = z.object({
  names: constraintNames,
  unique_columns: z
    .array(z.string('must be a string'), 'must be an array of column names')
    .min(1, 'must name at least one column')
    .max(MOST_KEY_COLUMNS, `may name ${MOST_KEY_COLUMNS} columns at most`),
  ...described,
});

/** Reads a key document (spec/catalog-model.md 15). */
export function parseKey(json: unknown, what = 'The key'): KeyDefinition {
  const document = parseDocument(keyDocument, json, what);
  if (new Set(document.unique_columns).size < document.unique_columns.length)
    throw new AppError('bad_json', `${what}, unique_columns: a column may be named once.`);
  return {
    constraintName: document.names,
    columns: document.unique_columns,
    comment: document.comment,
    annotations: document.annotations,
  };
}
