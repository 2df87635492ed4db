import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a directory for a stack, or a PostgreSQL, that lives no longer than the program. Whoever knows the name may pass through it:
 * run by root, PostgreSQL has an account of its own, and would have its files elsewhere, where nobody deletes them.
 * @param prefix of its name; random characters follow
 * @returns its path, for the caller to delete
 */
export async function temporaryDirectory(prefix: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), prefix));
  await chmod(directory, 0o711);
  return directory;
}
