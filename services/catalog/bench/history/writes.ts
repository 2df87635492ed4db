import { measure, report } from '@holdfast/testkit';
import type { Workbench } from '../model/workbench.js';
import type { BenchTables, TableName } from './bench-tables.js';

const ROUNDS = 3;
const SMALL_UPDATES = 1_000;
const names: readonly TableName[] = ['plain', 'captured'];

/** Inserting, updating everything and updating single rows, with capture and without. */
export async function measureWrites(_bench: Workbench, tables: BenchTables): Promise<boolean> {
  const { rows, database } = tables;
  const inserted = await measure(
    names.map((name) => ({ name: told(name), prepare: () => tables.empty(name), run: () => tables.fill(name) })),
    ROUNDS,
  );
  let kept = report(`insert ${rows} rows`, inserted, 1.05);
  const updated = await measure(
    names.map((name) => ({
      name: told(name),
      // anew, so that no round pays for the dead rows of another
      prepare: async () => {
        await tables.empty(name);
        await tables.fill(name);
        await database.query(`vacuum analyze "S".${name}`);
        await database.query('checkpoint');
      },
      run: () => tables.change(`update "S".${name} set n = n + 1, "RMT" = _catalog.now(), "RMB" = 'alice'`),
    })),
    ROUNDS,
  );
  kept = report(`update all ${rows} rows`, updated, 2.2) && kept;
  await tellStorage(tables);
  let turn = 0;
  const small = await measure(
    names.map((name) => ({
      name: told(name),
      run: async () => {
        for (let index = 0; index < SMALL_UPDATES; index += 1) {
          turn += 1;
          const id = 1 + ((turn * 7919) % rows);
          await tables.change(
            `update "S".${name} set n = n + 1, "RMT" = _catalog.now(), "RMB" = 'alice' where id = ${id}`,
          );
        }
      },
    })),
    ROUNDS,
  );
  return report(`${SMALL_UPDATES} updates of one row, each a change`, small, 1.5) && kept;
}

function told(name: TableName): string {
  return name === 'plain' ? 'capture off' : 'capture on';
}

async function tellStorage({ database, history }: BenchTables): Promise<void> {
  const { rows } = await database.query<{ readonly live: number; readonly dead: number }>(
    `select pg_total_relation_size('"S".plain') / greatest(1, (select count(*) from "S".plain)) as live,
            pg_total_relation_size('${history}') / greatest(1, (select count(*) from ${history})) as dead`,
  );
  const [row] = rows;
  process.stdout.write(
    `storage of a row, indexes included\n  a dead version in the history   ${row?.dead} bytes (a live row, updated once: ${row?.live})\n`,
  );
}
