// What an image of a service holds: node docker/production-tree.mjs <service> <directory>
// Its compiled program, the packages of ours it uses, and their production dependencies in the versions of the lock file; no sources, no
// tests, no types. Run after the build, by the Dockerfile and by the tests of what it makes.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../scripts/workspace.mjs';

const [service = '', target = ''] = process.argv.slice(2);
if (!existsSync(join(root, 'services', service, 'package.json')) || target === '') {
  process.stderr.write('Usage: node docker/production-tree.mjs catalog|objectstore|export <directory>\n');
  process.exit(2);
}
makeTree(service, resolve(target));

function makeTree(name, directory) {
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new Error(`${directory} is not empty: name a new directory.`);
  const manifests = workspaceManifests();
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']) copy(file, directory);
  for (const { folder } of manifests) copy(join(folder, 'package.json'), directory);
  installProduction(name, directory);
  const used = usedFolders(`@holdfast/${name}`, manifests);
  for (const { folder } of manifests) {
    if (used.has(folder)) copyProgram(folder, directory);
    else rmSync(join(directory, folder), { recursive: true, force: true });
  }
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) rmSync(join(directory, file));
  copy('LICENSE', directory);
}

function workspaceManifests() {
  return ['packages', 'services'].flatMap((room) =>
    readdirSync(join(root, room))
      .filter((name) => existsSync(join(root, room, name, 'package.json')))
      .map((name) => {
        const folder = join(room, name);
        return { folder, manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) };
      }),
  );
}

function installProduction(name, directory) {
  const args = ['--yes', 'pnpm@12', 'install', '--frozen-lockfile', '--prod', '--filter-prod', `@holdfast/${name}...`];
  // a package is copied into the tree: links would lead out of the image
  const { status } = spawnSync('npx', [...args, '--package-import-method=copy'], {
    cwd: directory,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, CI: 'true' },
  });
  if (status !== 0) throw new Error(`The dependencies of ${name} could not be installed.`);
}

/** Folders of a package and of all of ours that it uses, directly or not. */
function usedFolders(name, manifests, found = new Set()) {
  const one = manifests.find(({ manifest }) => manifest.name === name);
  if (one === undefined || found.has(one.folder)) return found;
  found.add(one.folder);
  for (const [dependency, version] of Object.entries(one.manifest.dependencies ?? {}))
    if (version.startsWith('workspace:')) usedFolders(dependency, manifests, found);
  return found;
}

function copyProgram(folder, directory) {
  const compiled = join(root, folder, 'dist/src');
  if (!existsSync(compiled)) throw new Error(`${folder} is not built: run "npx --yes pnpm@12 build" first.`);
  cpSync(compiled, join(directory, folder, 'dist/src'), {
    recursive: true,
    filter: (path) => !/\.(?:map|d\.ts|test\.js|tsbuildinfo)$/.test(path),
  });
}

function copy(file, directory) {
  mkdirSync(join(directory, file, '..'), { recursive: true });
  cpSync(join(root, file), join(directory, file));
}
