import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generatedFiles } from './generated-files.js';
import { workspace } from './workspace.js';

// The command charts:generate: writes what is made of the values.yaml files.
for (const { path, content } of await generatedFiles()) {
  await writeFile(join(workspace, path), content);
  process.stdout.write(`${path}\n`);
}
