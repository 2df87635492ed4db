import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where a program for tests is, or why there is none. */
export type GoProgram =
  | { readonly kind: 'program'; readonly path: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Directory in the user's cache (`XDG_CACHE_HOME`) for what tests fetch or build once. */
export function testCache(...names: readonly string[]): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast', ...names);
}

/**
 * A program for tests, built from source once through the Go module proxy and kept in the user's cache.
 * @param module package and version as `go install` takes them
 * @param directory where it is kept
 */
export async function prepareGoProgram(name: string, module: string, directory: string): Promise<GoProgram> {
  const path = join(directory, name);
  if (await isProgram(path)) return { kind: 'program', path };
  if ((await statusOf('go', ['version'])) !== 0)
    return { kind: 'none', reason: `Go is not there to build ${name} with` };
  process.stderr.write(`\nBuilding ${name} from source. This happens once and takes some minutes.\n`);
  await mkdir(directory, { recursive: true });
  // built beside and renamed: two test runs that build at once, or one that is stopped, leave no half of a program
  const building = await mkdtemp(join(directory, 'building-'));
  try {
    // the tests' own work comes first
    const status = await statusOf('nice', ['-n', '10', 'go', 'install', module], { GOBIN: building });
    if (status !== 0) return { kind: 'none', reason: `"go install ${module}" failed with status ${status}` };
    await rename(join(building, name), path);
    return { kind: 'program', path };
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Exit status of a program; null when it could not be run or was killed. */
async function statusOf(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.on('error', () => resolve(null));
    child.on('exit', (status) => resolve(status));
  });
}
