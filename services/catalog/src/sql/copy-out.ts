import { inline, type Sql } from '@holdfast/pg-kit';
import type { TabularFormat } from '@holdfast/tabular';

/**
 * COPY of a statement's rows to the client. JSON travels as CSV with a quote and delimiter that no JSON text holds raw, so it comes
 * out unescaped; COPY's text format would double its backslashes (architecture 5). The header record is not COPY's: names may
 * be longer than PostgreSQL's identifiers.
 */
export function copyOut(statement: Sql, format: TabularFormat): string {
  const options = format === 'csv' ? 'FORMAT csv' : `FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02'`;
  return `COPY (${inline(statement)}) TO STDOUT (${options})`;
}
