import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';
import { root } from './workspace.mjs';

/**
 * Compiles what has changed of these projects and of what they use; of the whole workspace when none is named.
 * Gives an exit status.
 */
export async function build(projects) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  if (!existsSync(compiler)) {
    process.stderr.write('The dependencies are not installed. Run "npx --yes pnpm@12 install" first.\n');
    return 1;
  }
  // standard output belongs to the command
  const timer = setTimeout(() => process.stderr.write('Building …\n'), 1500);
  const status = await runProgram(compiler, ['-b', ...projects], { cwd: root, stdio: ['inherit', 2, 'inherit'] });
  clearTimeout(timer);
  if (status !== 0) process.stderr.write('The build failed.\n');
  return status;
}
