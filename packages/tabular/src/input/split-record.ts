/** A field of CSV: `null` for an unquoted empty one. */
export type CsvField = string | null;

/** The fields of one record that the scanner has found to be well formed, without its record end. */
export function splitRecord(record: string): readonly CsvField[] {
  const fields: CsvField[] = [];
  let at = 0;
  for (;;) {
    if (record.charCodeAt(at) === QUOTE) {
      const close = closingQuote(record, at + 1);
      fields.push(record.slice(at + 1, close).replaceAll('""', '"'));
      at = close + 1;
    } else {
      const comma = record.indexOf(',', at);
      const end = comma < 0 ? record.length : comma;
      fields.push(end === at ? null : record.slice(at, end));
      at = end;
    }
    if (at >= record.length) return fields;
    at += 1;
  }
}

const QUOTE = 0x22;

function closingQuote(record: string, from: number): number {
  let at = record.indexOf('"', from);
  while (record.charCodeAt(at + 1) === QUOTE) at = record.indexOf('"', at + 2);
  return at;
}
