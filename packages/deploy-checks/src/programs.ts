import { spawn } from 'node:child_process';
import { type GoProgram, prepareGoProgram, testCache } from '@holdfast/testkit';

/** The programs the checks use: from the Go module proxy, each release in a directory of its own. */
const modules = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.19.2',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0',
  // the reader of compose files that Docker's own command uses; its program is called after its directory
  cmd: 'github.com/compose-spec/compose-go/v2/cmd@v2.16.2',
  actionlint: 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.9',
} as const;

export type ProgramName = keyof typeof modules;

/** Finds or builds a program. */
export function prepareProgram(name: ProgramName): Promise<GoProgram> {
  const version = modules[name].split('@')[1] ?? '';
  return prepareGoProgram(
    name,
    modules[name],
    testCache('programs', `${name === 'cmd' ? 'compose-go' : name}-${version}`),
  );
}

/** How a program ended, and what it said. */
export type ProgramResult = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a program to its end. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly input?: string; readonly environment?: NodeJS.ProcessEnv } = {},
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (status) =>
      resolve({ status, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    );
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}
