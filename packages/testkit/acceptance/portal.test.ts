import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

// packages/testkit/dist/acceptance
const workspace = fileURLToPath(new URL('../../../..', import.meta.url));
const data = process.env.HOLDFAST_PORTAL_DATA ?? join(workspace, '../shared/data/portal');
const isThere = existsSync(join(data, 'Portal_plant_quadrats.csv'));
const { ACCEPTANCE_URL } = process.env;
const where = ACCEPTANCE_URL === undefined ? ['--port', '0'] : ['--url', ACCEPTANCE_URL];
const limit = 600_000;

if (!isThere) {
  process.stderr.write(
    `\nSKIPPED: the demo over the Portal data. There is no ${data}/Portal_plant_quadrats.csv. Set HOLDFAST_PORTAL_DATA to a directory of these data.\n\n`,
  );
}

describe('the demo command', () => {
  (isThere ? it : it.skip)(
    'loads all of the Portal data, shows what is wrong with it, and ends with a valid bag',
    async () => {
      const { status, output } = await demo(['--data', data, ...where]);
      expect(output).toMatch(/load Portal_plant_quadrats\.csv .*refused with 400/);
      expect(output).toContain('have the same key (year, season, plot, quadrat, species)');
      expect(output).toMatch(/load Portal_plant_quadrats\.csv +118,769 .*onconflict=skip/);
      expect(output).toMatch(/load Portal_plant_censuses\.csv +32,592 /);
      expect(output).toMatch(/validate it .*15 files .*4 fetched/);
      expect(status).toBe(0);
    },
    limit,
  );

  it('says what is wrong in one message, and that with its status', async () => {
    const { status, output } = await demo(['--data', join(workspace, 'scripts')]);
    expect(output).toContain('holds no data set that the demo knows');
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(status).toBe(1);
  });
});

function demo(args: readonly string[]): Promise<{ readonly status: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const program = join(workspace, 'packages/stack/dist/src/demo.js');
    const child = spawn(process.execPath, [program, ...args]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output }));
  });
}
