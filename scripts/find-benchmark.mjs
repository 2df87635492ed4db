import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

/**
 * Finds the compiled benchmark `<project>/<file>`, for instance `catalog/csv-load`, or `<file>` when only one has that name.
 * Gives `{kind: 'one', path}`, or `{kind: 'none', message}` with a list of all there are.
 */
export function findBenchmark(name) {
  const all = listBenchmarks();
  const matching = all.filter((benchmark) => benchmark.name === name || benchmark.name.endsWith(`/${name}`));
  if (matching.length === 1) return { kind: 'one', path: matching[0].path };
  const problem = name === '' ? 'Which benchmark?' : `There is not exactly one benchmark "${name}".`;
  const list = all.map((benchmark) => `  ${benchmark.name}`).join('\n') || '  (none yet)';
  return { kind: 'none', message: `${problem} Usage: pnpm bench NAME. There are:\n${list}` };
}

function listBenchmarks() {
  return ['packages', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((project) => {
      const directory = join(root, group, project, 'dist/bench');
      if (!existsSync(directory)) return [];
      const files = readdirSync(directory).filter((file) => file.endsWith('.js'));
      return files.map((file) => ({ name: `${project}/${file.slice(0, -3)}`, path: join(directory, file) }));
    }),
  );
}
