// The commands of the workspace: start, demo, test, bench, bagit. Builds what the command needs, then runs it.
// Plain JavaScript without dependencies: it must run before anything is built.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { checkNode } from './check-node.mjs';
import { findBenchmark } from './find-benchmark.mjs';
import { runProgram } from './run-program.mjs';
import { runTests } from './run-tests.mjs';
import { root } from './workspace.mjs';

const stack = ['packages/stack', 'services/catalog', 'services/objectstore', 'services/export'];

const commands = {
  start: (args) => runBuilt(stack, 'packages/stack/dist/src/start.js', args),
  demo: (args) => runBuilt(stack, 'packages/stack/dist/src/demo.js', args),
  bagit: (args) => runBuilt(['packages/bagit'], 'packages/bagit/dist/src/cli.js', args),
  'charts:generate': (args) =>
    runBuilt(['packages/deploy-checks'], 'packages/deploy-checks/dist/src/generate.js', args),
  test: runTests,
  bench: async (args) => (await build([])) || runBenchmark(args),
};

checkNode();
const [word = '', ...rest] = process.argv.slice(2);
// "pnpm start -- --port 9000" hands on the two dashes, too
const args = rest[0] === '--' ? rest.slice(1) : rest;
const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
if (command === undefined) {
  process.stderr.write(`Usage: node scripts/run.mjs ${Object.keys(commands).join('|')} [arguments]\n`);
  process.exit(2);
}
process.exitCode = await command(args);

async function runBuilt(projects, program, programArgs) {
  const status = await build(projects);
  if (status !== 0) return status;
  const path = join(root, program);
  if (!existsSync(path)) {
    process.stderr.write(`There is no ${program} to run.\n`);
    return 1;
  }
  return runProgram(path, programArgs);
}

async function runBenchmark([name = '', ...benchmarkArgs]) {
  const found = findBenchmark(name);
  if (found.kind === 'one') return runProgram(found.path, benchmarkArgs);
  process.stderr.write(`${found.message}\n`);
  return 1;
}
