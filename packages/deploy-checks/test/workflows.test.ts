import { describe, expect, it } from '@jest/globals';
import { prepareProgram, runProgram } from '../src/programs.js';
import { workspace } from '../src/workspace.js';

const actionlint = await prepareProgram('actionlint');
if (actionlint.kind === 'none') process.stderr.write(`SKIPPED: workflows are not linted. ${actionlint.reason}.\n`);

describe('the workflows', () => {
  (actionlint.kind === 'none' ? it.skip : it)('are what the runner understands', async () => {
    if (actionlint.kind === 'none') return;
    // the shell's own linter is not there everywhere: the same answer on every machine
    const result = await runProgram(actionlint.path, ['-shellcheck=', '-pyflakes=', '-no-color'], { cwd: workspace });
    expect(result.stdout + result.stderr).toBe('');
    expect(result.status).toBe(0);
  });
});
