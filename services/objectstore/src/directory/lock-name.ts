import { type Connection, sql } from '@holdfast/pg-kit';
import type { CanonicalPath } from '../naming/canonical-path.js';
import { type DefinedPlace, findDefined } from './find-place.js';

/**
 * A defined name, locked against every other change of it, its versions and lists; children can still be made beneath it.
 * @throws {AppError} `not_found`
 */
export async function lockDefined(connection: Connection, path: CanonicalPath): Promise<DefinedPlace> {
  const { target } = await findDefined(connection, path);
  await connection.query(sql`select from os_name where id = ${target.id} for no key update`);
  return findDefined(connection, path);
}
