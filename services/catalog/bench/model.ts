/**
 * `pnpm bench model`: what issue 3 demands of the model interface, each against the same work of a bare client or a bare route in
 * the same run. Another argument than a number of rounds names one part: `pnpm bench model 5 columns`.
 */

import { rm } from 'node:fs/promises';
import { temporaryDirectory } from '@holdfast/stack';
import { measureCatalogs } from './model/catalogs.js';
import { measureColumns } from './model/columns.js';
import { measureDocuments } from './model/documents.js';
import { measureTables } from './model/tables.js';
import { workbench } from './model/workbench.js';

const rounds = Number(process.argv[2] ?? 7);
const only = process.argv[3] ?? null;
const parts = {
  catalogs: measureCatalogs,
  tables: measureTables,
  documents: measureDocuments,
  columns: measureColumns,
};
const directory = await temporaryDirectory('holdfast-bench-');
const bench = await workbench(directory);
try {
  let kept = true;
  for (const [name, part] of Object.entries(parts))
    if (only === null || only === name) kept = (await part(bench, rounds)) && kept;
  process.exitCode = kept ? 0 : 1;
} finally {
  await bench.close();
  await rm(directory, { recursive: true, force: true });
}
