import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The release of the Library of Congress' validator that tests ask for a second opinion. */
const PACKAGE = 'bagit==1.9.0';

/** A Python that has it, or why there is none. */
export type BagitPython =
  | { readonly kind: 'program'; readonly python: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Looks for one: what `BAGIT_PYTHON` names, the one that {@link prepareBagitPython} made, the system's. Installs nothing. */
export function findBagitPython(): BagitPython {
  const candidates = [process.env.BAGIT_PYTHON, pythonOf(environmentPath()), 'python3'];
  const python = candidates.find((candidate) => candidate !== undefined && candidate !== '' && hasBagit(candidate));
  return python === undefined
    ? {
        kind: 'none',
        reason: 'no Python with the package "bagit" is there: pip install it, or name one with BAGIT_PYTHON',
      }
    : { kind: 'program', python };
}

/** Finds one, or makes a virtual environment for it in the user's cache (`XDG_CACHE_HOME`), with pip. */
export function prepareBagitPython(): BagitPython {
  const found = findBagitPython();
  if (found.kind === 'program') return found;
  const path = environmentPath();
  mkdirSync(join(path, '..'), { recursive: true });
  const steps = [
    ['python3', '-m', 'venv', path],
    [pythonOf(path), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PACKAGE],
  ] as const;
  for (const [program, ...args] of steps) {
    const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status === 0) continue;
    // half an environment would be found the next time
    rmSync(path, { recursive: true, force: true });
    return { kind: 'none', reason: `"${[program, ...args].join(' ')}" did not go well` };
  }
  return findBagitPython();
}

function environmentPath(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast', 'bagit-python');
}

function pythonOf(environment: string): string {
  return join(environment, 'bin', 'python');
}

function hasBagit(python: string): boolean {
  return spawnSync(python, ['-m', 'bagit', '--version'], { stdio: 'ignore' }).status === 0;
}
