import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Workbench } from './workbench.js';

const ROWS = 1_000_000;
const READERS = 2;
const LONGEST_MILLISECONDS = 200;

/** Adding a column with its default indexes to a table of a million rows while readers run: none of them waits long. */
export async function measureColumns(bench: Workbench, rounds: number): Promise<boolean> {
  const path = await bench.createCatalog();
  const column = (name: string, type: string) => ({ name, type });
  await bench.call('POST', `${path}/schema`, {
    schemas: {
      S: {
        tables: {
          big: {
            column_definitions: [column('id', 'int8'), column('label', 'text')],
            keys: [{ unique_columns: ['id'] }],
          },
        },
      },
    },
  });
  const database = await bench.connectToLast();
  await database.query(
    `do $$ begin perform _catalog.begin_change(null, 1000); insert into "S".big (id, label) select n, 'row ' || n from generate_series(1, ${ROWS}) n; end $$`,
  );
  await database.query('vacuum analyze "S".big');
  const quiet = await readWhile(bench, path, () => sleep(5_000));
  let longest = 0;
  let seconds = 0;
  for (let round = 0; round < Math.min(rounds, 5); round += 1) {
    const waits = await readWhile(bench, path, async () => {
      const started = Date.now();
      const name = `added_${round}`;
      await bench.call('POST', `${path}/schema/S/table/big/column`, {
        ...column(name, 'text'),
        default: round % 2 === 0 ? null : 'x',
      });
      await indexesAreBuilt(database, name);
      seconds += (Date.now() - started) / 1000;
    });
    longest = Math.max(longest, ...waits);
  }
  await database.end();
  const kept = longest <= LONGEST_MILLISECONDS;
  process.stdout.write(
    `Adding a column with its indexes to ${ROWS} rows, ${READERS} readers\n` +
      `  longest read while nothing else happens ${' '.repeat(5)} ${Math.max(...quiet).toFixed(0)} ms of ${quiet.length} reads\n` +
      `  longest read while columns are added ${' '.repeat(8)} ${longest.toFixed(0)} ms (at most ${LONGEST_MILLISECONDS}: ${kept ? 'kept' : 'MISSED'})\n` +
      `  column and indexes ${' '.repeat(26)} ${(seconds / Math.min(rounds, 5)).toFixed(1)} s\n`,
  );
  return kept;
}

/** Milliseconds of each read while the work goes on. */
async function readWhile(bench: Workbench, path: string, work: () => Promise<void>): Promise<readonly number[]> {
  const times: number[] = [];
  let working = true;
  const read = async (): Promise<void> => {
    while (working) {
      const id = 1 + Math.floor(Math.random() * ROWS);
      times.push((await bench.call('GET', `${path}/attribute/S:big/id=${id}/id,label`)).milliseconds);
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

/** The btree and the trigram index of a text column. */
async function indexesAreBuilt(database: pg.Client, column: string): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ readonly valid: boolean }>(
      `select i.indisvalid as valid from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
        where a.attname = $1`,
      [column],
    );
    if (rows.length === 2 && rows.every(({ valid }) => valid)) return;
    await sleep(50);
  }
}
