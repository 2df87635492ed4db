import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeOrphans } from './remove-orphans.mjs';
import { runProgram } from './run-program.mjs';
import { root } from './workspace.mjs';

/** Runs Jest over the compiled workspace; `args` are Jest's. The last line counts the tests. Gives an exit status. */
export async function runTests(args) {
  removeOrphans();
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-summary-'));
  const summary = join(directory, 'summary.json');
  const reporters = ['--reporters=default', `--reporters=${join(root, 'scripts/summary-reporter.mjs')}`];
  try {
    const status = await runProgram(join(root, 'node_modules/jest/bin/jest.js'), [...reporters, ...args], {
      nodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      cwd: root,
      env: { ...process.env, HOLDFAST_TEST_SUMMARY: summary },
    });
    const counts = readCounts(summary, status);
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    return status;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function readCounts(summary, status) {
  try {
    return JSON.parse(readFileSync(summary, 'utf8'));
  } catch {
    // Jest ended before its tests did
    return { passed: 0, failed: status === 0 ? 0 : 1, skipped: 0 };
  }
}
