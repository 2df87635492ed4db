export { type CsvReaderOptions, type CsvRow, readCsvRecords, readCsvRows } from './input/csv-reader.js';
export { CSV_COPY_OPTIONS, type CsvForCopy, type CsvForCopyOptions, openCsvForCopy } from './input/csv-to-copy.js';
export {
  JSON_ROWS_COPY_OPTIONS,
  type JsonFormat,
  type JsonRow,
  type JsonRowsForCopy,
  type JsonRowsOptions,
  joinJsonRows,
  openJsonRowsForCopy,
  readJsonRowBatches,
  readJsonRows,
} from './input/json-rows.js';
export type { ByteSource } from './input/row-source.js';
export type { CsvField } from './input/split-record.js';
export {
  type ContentTypeDecision,
  FILE_SUFFIXES,
  formatOfAcceptParameter,
  formatOfMediaType,
  MEDIA_TYPES,
  negotiateTabular,
  parseTabularContentType,
  type TabularFormat,
} from './media-types.js';
export { type CsvValue, csvRecord, writeCsv } from './output/csv-writer.js';
export { jsonArrayFrame, type RowFrame } from './output/json-array-frame.js';
export { type InputPosition, TabularError, type TabularErrorCode } from './tabular-error.js';
