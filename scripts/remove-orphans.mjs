import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

/** Deletes what was compiled from files that no longer exist: the compiler leaves it, and deleted tests would still run. */
export function removeOrphans() {
  for (const group of ['packages', 'services']) {
    for (const name of readdirSync(join(root, group))) {
      const project = join(root, group, name);
      if (existsSync(join(project, 'dist'))) removeOrphansOf(project);
    }
  }
}

function removeOrphansOf(project) {
  for (const entry of readdirSync(join(project, 'dist'), { recursive: true, withFileTypes: true })) {
    const [, stem] = /^(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(entry.name) ?? [];
    if (stem === undefined || !entry.isFile()) continue;
    const directory = entry.parentPath ?? entry.path;
    const source = join(project, directory.slice(join(project, 'dist').length), stem);
    if (!existsSync(`${source}.ts`)) rmSync(join(directory, entry.name));
  }
}
