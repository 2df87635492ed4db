/**
 * `pnpm bench history`: what the history of rows costs, each against the same work without it in the same run. `BENCH_ROWS` says how many
 * rows (a million by default); words name some of the parts: `pnpm bench history writes columns`.
 */

import { rm } from 'node:fs/promises';
import { temporaryDirectory } from '@holdfast/stack';
import { benchTables } from './history/bench-tables.js';
import { measureColumnChanges } from './history/column-changes.js';
import { measureReads } from './history/reads.js';
import { measureWrites } from './history/writes.js';
import { workbench } from './model/workbench.js';

const rows = Number(process.env.BENCH_ROWS ?? 1_000_000);
const chosen = process.argv.slice(2);
const parts = { writes: measureWrites, reads: measureReads, columns: measureColumnChanges };
const directory = await temporaryDirectory('holdfast-bench-');
const bench = await workbench(directory);
try {
  let kept = true;
  for (const [name, part] of Object.entries(parts)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const tables = await benchTables(bench, rows);
    kept = (await part(bench, tables)) && kept;
    await tables.close();
  }
  process.exitCode = kept ? 0 : 1;
} finally {
  await bench.close();
  await rm(directory, { recursive: true, force: true });
}
