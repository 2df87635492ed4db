import { checkOutputPath, UnsafePathError } from '@holdfast/bagit';
import { AppError } from '@holdfast/http-kit';
import type { TableFormat } from './export-request.js';

const EXTENSIONS: Readonly<Record<TableFormat, string>> = { csv: '.csv', json: '.json', 'json-stream': '.json' };

/**
 * The path of a table's file: checked, with the extension of its format unless it has it already (spec/export.md 5.1).
 * @throws {AppError} `bad_path`
 */
export function tableOutputPath(text: string, format: TableFormat, pointer: string): string {
  const path = safeOutputPath(text, pointer);
  return path.endsWith(EXTENSIONS[format]) ? path : safeOutputPath(`${path}${EXTENSIONS[format]}`, pointer);
}

/**
 * Checks that a path stays below the export (spec/export.md 6.1) and gives its one normal form.
 * @throws {AppError} `bad_path`
 */
export function safeOutputPath(text: string, pointer: string): string {
  try {
    return checkOutputPath(text);
  } catch (error) {
    if (error instanceof UnsafePathError)
      throw new AppError('bad_path', `${pointer}: ${error.message}.`, { cause: error });
    throw error;
  }
}
