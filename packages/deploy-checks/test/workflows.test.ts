import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { kubernetesVersions } from '../src/kubernetes-schemas.js';
import { prepareProgram, runProgram } from '../src/programs.js';
import { workspace } from '../src/workspace.js';

const actionlint = await prepareProgram('actionlint');
if (actionlint.kind === 'none') process.stderr.write(`SKIPPED: workflows are not linted. ${actionlint.reason}.\n`);

describe('the workflows', () => {
  it('install on two of the releases of Kubernetes that rendered charts are validated against', async () => {
    const text = await readFile(join(workspace, '.github/workflows/charts.yml'), 'utf8');
    const minor = (version: string): string => version.split('.').slice(0, 2).join('.');
    const clusters = [...text.matchAll(/kindest\/node:v([\d.]+)/g)].map(([, version = '']) => minor(version));
    expect(new Set(clusters).size).toBeGreaterThanOrEqual(2);
    expect(kubernetesVersions.map(minor)).toEqual(expect.arrayContaining(clusters));
  });

  it('name files that there are', async () => {
    for (const workflow of ['charts', 'images', 'ci']) {
      const text = (await readFile(join(workspace, `.github/workflows/${workflow}.yml`), 'utf8')).replace(
        /uses:.*/g,
        '',
      );
      const named = text.matchAll(/(?<![./\w])((?:charts|docker|\.ci)\/[\w./-]*\w)(?![\w$*-])/g);
      for (const [, file = ''] of named) expect([file, existsSync(join(workspace, file))]).toEqual([file, true]);
    }
  });

  (actionlint.kind === 'none' ? it.skip : it)('are what the runner understands', async () => {
    if (actionlint.kind === 'none') return;
    // the shell's own linter is not there everywhere: the same answer on every machine
    const result = await runProgram(actionlint.path, ['-shellcheck=', '-pyflakes=', '-no-color'], { cwd: workspace });
    expect(result.stdout + result.stderr).toBe('');
    expect(result.status).toBe(0);
  });
});
