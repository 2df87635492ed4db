import { AppError } from '@holdfast/http-kit';
import { type Connection, literal, sql } from '@holdfast/pg-kit';
import type { Change } from '../history/change.js';
import { capturesHistory } from '../model/history-capture.js';
import type { Annotations } from '../model/model.js';
import { runDdl } from './run-ddl.js';

/**
 * Refuses an annotation of a table whose value has no meaning (spec/catalog-model.md 21). On other elements it has no effect.
 * @throws {AppError} `bad_json`
 */
export function requireCaptureValue(annotations: Annotations): void {
  if (capturesHistory(annotations) === null)
    throw new AppError('bad_json', 'The annotation history-capture of a table is true or false.');
}

/**
 * Copies the rows of a table into its history, before it or one of its columns is dropped or a type changed
 * (spec/catalog-access.md 12.3). Costs a bulk copy, during which the table can be read.
 */
export async function keepRows(connection: Connection, change: Change, tableRid: string): Promise<void> {
  await connection.execute(sql`select _catalog.move_epoch(${tableRid}, ${change.ts}::timestamptz)`);
}

/** Brings the history of tables in line with the model, when everything else of a change has been done (12.4). */
export async function followModel(connection: Connection, change: Change): Promise<void> {
  await runDdl(connection, [sql`select _catalog.follow_model(${literal(change.ts)})`]);
}
