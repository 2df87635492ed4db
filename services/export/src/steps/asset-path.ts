import { AppError } from '@holdfast/http-kit';
import type { JsonRow } from '@holdfast/tabular';
import type { AssetQuery } from '../request/export-request.js';
import { safeOutputPath } from '../request/output-path.js';
import { type AssetRow, nameInUrl } from './asset-row.js';
import type { RunContext } from './run-context.js';

/**
 * Where the file of a row goes: the directory of the query, and the first name there is (spec/export.md 5.5).
 * @param offered name in the `Content-Disposition`, if the file was asked
 * @throws {AppError} `bad_path`, `bad_variable`
 */
export function assetPath(
  query: AssetQuery,
  context: RunContext,
  row: JsonRow,
  asset: AssetRow,
  offered: string | null,
): string {
  const { variables, log } = context;
  const directory = variables.fill(query.outputPath, `${query.pointer}/output_path`, row);
  const chosen =
    query.outputFilename === null
      ? (asset.filename ?? offered ?? nameInUrl(asset.url ?? ''))
      : variables.fill(query.outputFilename, `${query.pointer}/output_filename`, row);
  if (chosen === null || chosen === '') {
    throw new AppError('bad_path', `${query.pointer}: the file ${JSON.stringify(asset.url)} has no name.`);
  }
  // joined as text an absolute name would become a harmless one: it is refused like any other that wants to leave
  for (const part of [directory, chosen]) if (part.startsWith('/')) refuse(part);
  try {
    return safeOutputPath(directory === '' ? chosen : `${directory}/${chosen}`, query.pointer);
  } catch (error) {
    log.error(`unsafe path: directory ${JSON.stringify(directory)}, name ${JSON.stringify(chosen)}`);
    throw error;
  }
  function refuse(part: string): never {
    log.error(`unsafe path: ${JSON.stringify(part)}`);
    throw new AppError('bad_path', `${query.pointer}: the path ${JSON.stringify(part)} is refused: it is absolute.`);
  }
}
