import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Programs of other people that tests ask for a second opinion: what pip installs, and what runs only where that was done. */
const packages = {
  /** The Library of Congress' validator of bags. */
  bagit: { requirement: 'bagit==1.9.0', probe: ['-m', 'bagit', '--version'] },
  /** The Python client of the protocol family. */
  deriva: { requirement: 'deriva==1.7.12', probe: ['-c', 'import deriva.core, deriva.transfer'] },
} as const;

export type PythonPackage = keyof typeof packages;

export const pythonPackages: readonly PythonPackage[] = ['bagit', 'deriva'];

/** A Python that has a package, or why there is none. */
export type PackagePython =
  | { readonly kind: 'program'; readonly python: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Looks for one: what `TEST_PYTHON` names, the one that {@link preparePython} made, the system's. Installs nothing. */
export function findPython(name: PythonPackage): PackagePython {
  const candidates = [process.env.TEST_PYTHON, pythonOf(environmentPath()), 'python3'];
  const python = candidates.find((candidate) => candidate !== undefined && candidate !== '' && has(candidate, name));
  return python === undefined
    ? {
        kind: 'none',
        reason: `no Python with the package "${name}" is there: pip install it, or name one with TEST_PYTHON`,
      }
    : { kind: 'program', python };
}

/** Finds one, or puts the package into a virtual environment in the user's cache (`XDG_CACHE_HOME`), with pip. */
export function preparePython(name: PythonPackage): PackagePython {
  const found = findPython(name);
  if (found.kind === 'program') return found;
  const path = environmentPath();
  mkdirSync(join(path, '..'), { recursive: true });
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', packages[name].requirement];
  if (!run('python3', ['-m', 'venv', path])) {
    rmSync(path, { recursive: true, force: true });
    return { kind: 'none', reason: `"python3 -m venv ${path}" did not go well` };
  }
  if (!run(pythonOf(path), install))
    return { kind: 'none', reason: `"pip ${install.slice(2).join(' ')}" did not go well` };
  return findPython(name);
}

function run(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

function environmentPath(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast', 'test-python');
}

function pythonOf(environment: string): string {
  return join(environment, 'bin', 'python');
}

function has(python: string, name: PythonPackage): boolean {
  return spawnSync(python, packages[name].probe, { stdio: 'ignore' }).status === 0;
}
