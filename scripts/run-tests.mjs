import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { removeOrphans } from './remove-orphans.mjs';
import { runProgram } from './run-program.mjs';
import { root } from './workspace.mjs';

/**
 * Builds everything and runs Jest over it; `args` are Jest's. The last line counts the tests: one failed when there is no build
 * to test. Gives an exit status.
 */
export async function runTests(args) {
  const built = await build([]);
  if (built !== 0) {
    printCounts({ passed: 0, failed: 1, skipped: 0 });
    return built;
  }
  removeOrphans();
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-summary-'));
  const summary = join(directory, 'summary.json');
  const reporters = ['--reporters=default', `--reporters=${join(root, 'scripts/summary-reporter.mjs')}`];
  try {
    const status = await runProgram(join(root, 'node_modules/jest/bin/jest.js'), [...args, ...reporters], {
      nodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      cwd: root,
      env: { ...process.env, HOLDFAST_TEST_SUMMARY: summary },
    });
    printCounts(readCounts(summary, status));
    return status;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function printCounts({ passed, failed, skipped }) {
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}

function readCounts(summary, status) {
  try {
    return JSON.parse(readFileSync(summary, 'utf8'));
  } catch {
    // Jest ended before its tests did
    return { passed: 0, failed: status === 0 ? 0 : 1, skipped: 0 };
  }
}
