import { AppError } from '@holdfast/http-kit';
import { type Connection, sql } from '@holdfast/pg-kit';
import { type CanonicalPath, pathsAbove } from '../naming/canonical-path.js';
import { type NameRow, nameColumns, nameOf } from './columns.js';
import type { NameRecord, Place } from './records.js';

/**
 * Reads a path with everything above it in one query by the unique index of paths: what stands there, and the lists that
 * reach down to it.
 */
export async function findPlace(connection: Connection, path: CanonicalPath): Promise<Place> {
  const rows = await connection.query<NameRow>(
    sql`select ${nameColumns} from os_name n where n.path = any(${[...pathsAbove(path), path]}) order by n.id`,
    { prepared: 'find-place' },
  );
  const names = rows.map(nameOf);
  return {
    path,
    target: names.find((name) => name.path === path) ?? null,
    above: names.filter((name) => name.path !== path),
  };
}

/** A place whose name is defined. */
export interface DefinedPlace extends Place {
  readonly target: NameRecord;
}

/**
 * {@link findPlace} for a name that must be there.
 * @throws {AppError} `not_found` for names never used and deleted ones alike
 */
export async function findDefined(connection: Connection, path: CanonicalPath): Promise<DefinedPlace> {
  const place = await findPlace(connection, path);
  if (place.target === null || place.target.deleted) throw noSuchName();
  return { ...place, target: place.target };
}

/** The refusal of a name that is not defined. */
export function noSuchName(): AppError {
  return new AppError('not_found', 'There is no namespace or object of this name.');
}
