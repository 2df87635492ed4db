import { setTimeout as sleep } from 'node:timers/promises';
import type { Workbench } from '../model/workbench.js';
import type { BenchTables } from './bench-tables.js';

const READERS = 2;
const ROUNDS = 3;

/** How long changes of a column take on a large table with history, and how long a reader waits meanwhile. */
export async function measureColumnChanges(bench: Workbench, tables: BenchTables): Promise<boolean> {
  const { path, rows, database } = tables;
  process.stdout.write(`changing a column of ${rows} rows, ${READERS} readers\n`);
  for (const name of ['plain', 'captured'] as const) {
    await tables.fill(name);
    await database.query(`vacuum analyze "S".${name}`);
    const columns = `${path}/schema/S/table/${name}/column`;
    const quiet = await readWhile(bench, tables, name, () => sleep(3_000));
    tell(name, 'nothing', 3, quiet);
    const work = {
      'adding one with a default': (round: number) =>
        bench.call('POST', columns, {
          name: `added_${round}`,
          type: 'int4',
          default: 7,
          annotations: { 'tag:example.org,2018:indexing-preferences': { btree: false } },
        }),
      'converting one from int4 to float8 and back': async (round: number) => {
        for (const type of ['float8', 'int4']) await bench.call('PUT', `${columns}/added_${round}`, { type });
      },
      'dropping one': (round: number) => bench.call('DELETE', `${columns}/added_${round}`),
    };
    for (const [what, act] of Object.entries(work)) {
      let seconds = 0;
      const waits: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const started = Date.now();
        waits.push(...(await readWhile(bench, tables, name, () => act(round))));
        seconds += (Date.now() - started) / 1000 / ROUNDS;
      }
      tell(name, what, seconds, waits);
    }
  }
  return true;
}

function tell(name: string, what: string, seconds: number, waits: readonly number[]): void {
  const longest = Math.max(...waits).toFixed(0);
  process.stdout.write(
    `  ${name.padEnd(9)} ${what.padEnd(44)} ${seconds.toFixed(2).padStart(6)} s   longest read ${longest} ms of ${waits.length}\n`,
  );
}

/** Milliseconds of each read of one row while the work goes on. */
async function readWhile(
  bench: Workbench,
  { path, rows }: BenchTables,
  name: string,
  work: () => Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = [];
  let working = true;
  const read = async (): Promise<void> => {
    while (working) {
      const id = 1 + Math.floor(Math.random() * rows);
      times.push((await bench.call('GET', `${path}/attribute/S:${name}/id=${id}/id,label`)).milliseconds);
      await sleep(5);
    }
  };
  const readers = Array.from({ length: READERS }, read);
  await work().finally(() => {
    working = false;
  });
  await Promise.all(readers);
  return times;
}
