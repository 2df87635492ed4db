import { measure, report } from '@holdfast/testkit';
import type { Workbench } from '../model/workbench.js';
import type { BenchTables } from './bench-tables.js';

const SNAPSHOTS = 10_000;
const REQUESTS = 300;

/** The table as it was ten thousand snapshots ago against the live one, and one row of it. */
export async function measureReads(bench: Workbench, tables: BenchTables): Promise<boolean> {
  const { path, rows, database } = tables;
  await tables.fill('captured');
  const then = await snaptime(bench, path);
  // each a transaction of its own
  await database.query(`do $$ declare instant timestamptz; begin
    for i in 1..${SNAPSHOTS} loop
      instant := _catalog.begin_change('alice', 1000);
      update "S".captured set n = n + 1, "RMT" = instant, "RMB" = 'alice' where id = 1 + (i * 7919) % ${rows};
      insert into _catalog.snap (ts, client, model, tables) values (instant, 'alice', false, '{}');
      commit;
    end loop; end $$`);
  await database.query('vacuum analyze "S".captured');
  await database.query(`vacuum analyze ${tables.history}`);
  const read = (place: string, rest: string) =>
    bench.call('GET', `${place}/${rest}`, undefined, { accept: 'text/csv' });
  const both = (rest: string) => [
    { name: 'live', run: () => read(path, rest) },
    { name: `${SNAPSHOTS} snapshots back`, run: () => read(`${path}@${then}`, rest) },
  ];
  let kept = report(`all columns of ${rows} rows`, await measure(both('entity/S:captured'), 5), 1.5);
  kept = report(`a sum over ${rows} rows`, await measure(both('aggregate/S:captured/s:=sum(n)'), 15), 1.5) && kept;
  const filter = both('attribute/S:captured/n=77/id');
  kept = report('a filter on a column without an index', await measure(filter, 15), 1.5) && kept;
  const sample = await database.query<{ readonly rid: string }>(
    `select "RID" as rid from "S".captured where id % ${Math.max(1, Math.floor(rows / 1000))} = 0 limit 1000`,
  );
  const rids = sample.rows.map(({ rid }) => rid);
  let turn = 0;
  const many = (place: string) => async (): Promise<void> => {
    for (let index = 0; index < REQUESTS; index += 1) {
      turn += 1;
      await bench.call('GET', `${place}/entity/S:captured/RID=${rids[turn % rids.length] ?? ''}`);
    }
  };
  const single = [
    { name: 'live', run: many(path) },
    { name: `${SNAPSHOTS} snapshots back`, run: many(`${path}@${then}`) },
  ];
  return report(`${REQUESTS} rows, one by one, by RID`, await measure(single, 15), 1.3) && kept;
}

async function snaptime(bench: Workbench, path: string): Promise<string> {
  return (JSON.parse((await bench.call('GET', path)).body.toString()) as { readonly snaptime: string }).snaptime;
}
