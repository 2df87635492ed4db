import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The release of MinIO that tests run against; the last one of its community edition. */
const MODULE = 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c';

/** Where a program of an S3 server is, or why there is none. */
export type S3Binary =
  | { readonly kind: 'program'; readonly path: string }
  | { readonly kind: 'none'; readonly reason: string };

/**
 * The program of an S3 server for tests. Built from source once, through the Go module proxy, and kept in the user's cache
 * (`XDG_CACHE_HOME`); building takes some minutes of processor time.
 */
export async function prepareS3Binary(): Promise<S3Binary> {
  const path = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast', 'minio', 'minio');
  if (await isProgram(path)) return { kind: 'program', path };
  if ((await run('go', ['version'], {})) !== 0)
    return { kind: 'none', reason: 'Go is not there to build a MinIO with; install it, or set S3_ENDPOINT' };
  process.stderr.write(
    '\nBuilding MinIO, the S3 server of the tests, from source. This happens once and takes some minutes.\n',
  );
  const directory = join(path, '..');
  await mkdir(directory, { recursive: true });
  // built beside and renamed: two test runs that build at once, or one that is stopped, leave no half of a program
  const building = await mkdtemp(join(directory, 'building-'));
  try {
    // the tests' own work comes first
    const status = await run('nice', ['-n', '10', 'go', 'install', MODULE], { GOBIN: building });
    if (status !== 0) return { kind: 'none', reason: `"go install ${MODULE}" failed with status ${status}` };
    await rename(join(building, 'minio'), path);
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
async function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.on('error', () => resolve(null));
    child.on('exit', (status) => resolve(status));
  });
}
