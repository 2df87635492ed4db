import { inline } from '@holdfast/pg-kit';
import { type ReferenceCheck, refusedReference } from '../authorize/authorize-references.js';
import type { Viewpoint } from '../authorize/viewpoint.js';
import type { Column } from '../model/model.js';
import { type PlacedRows, refusedReferenceSql } from '../sql/reference-sql.js';
import { inputError } from './stage-input.js';
import type { WriteParts } from './written-rows.js';

/** Which references of the staged rows are looked at, and where their values come from. */
export interface PlacedReferences extends PlacedRows {
  readonly checks: readonly ReferenceCheck[];
  /** Columns that get their values from the input, as the table calls them. */
  readonly given: readonly Column[];
}

/**
 * Refuses the request if a row refers to what the client may not refer to, by the state before the request (spec/catalog-access.md 8.4).
 * @throws {AppError} `forbidden`
 */
export async function refuseReferences(
  { connection }: WriteParts,
  placed: PlacedReferences,
  viewpoint: Viewpoint,
): Promise<void> {
  for (const check of placed.checks) {
    const statement = inline(refusedReferenceSql(check, placed, viewpoint));
    const { rows } = await connection.client.query<{ first: string }>(statement).catch((error: unknown) => {
      throw inputError(error);
    });
    const [refused] = rows;
    if (refused === undefined) continue;
    const known = check.foreignKey.columns.filter((column) => placed.given.includes(column));
    throw refusedReference(known, refused.first);
  }
}
