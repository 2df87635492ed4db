/**
 * `pnpm bench tiny [rounds]`: what an export of one small table takes over its queries. Issue 8 allows 150 ms at the median, on top of the
 * floor: the requests that the worker makes, made one after another by hand.
 */
import { startSetting } from './setting.js';

const LIMIT_MILLISECONDS = 150;
const rounds = Number(process.argv[2] ?? 40);
const setting = await startSetting();
try {
  const { call, host } = setting;
  const { id } = (await (await call('POST', '/data/catalog')).json()) as { id: string };
  const model = {
    schema_name: 'b',
    tables: { t: { table_name: 't', column_definitions: [{ name: 'n', type: 'int4' }] } },
  };
  await call('POST', `/data/catalog/${id}/schema`, JSON.stringify([model]), { 'Content-Type': 'application/json' });
  await call('POST', `/data/catalog/${id}/entity/b:t`, '[{"n":1},{"n":2}]', { 'Content-Type': 'application/json' });
  const queries = [{ processor: 'csv', query_path: '/entity/b:t', output_path: 't' }];
  const floor: number[] = [];
  const exported: number[] = [];
  for (let round = 0; round < rounds + 5; round += 1) {
    const byHand = await timed(async () => {
      await (await call('GET', `/data/catalog/${id}`)).text();
      await (await call('GET', `/data/catalog/${id}/entity/b:t`, undefined, { Accept: 'text/csv' })).text();
    });
    const whole = await timed(() => setting.export('file', { catalog: { host, catalog_id: id, queries } }));
    // the first ones fill caches and pools
    if (round < 5) continue;
    floor.push(byHand);
    exported.push(whole);
  }
  const overhead = median(exported.map((whole, index) => whole - (floor[index] ?? 0)));
  const verdict = overhead <= LIMIT_MILLISECONDS ? 'kept' : 'MISSED';
  process.stdout.write(
    `Export of one small table, median of ${rounds} rounds\n` +
      `  queries by hand   ${median(floor).toFixed(1)} ms\n` +
      `  POST to answer    ${median(exported).toFixed(1)} ms, over the queries ${overhead.toFixed(1)} ms ` +
      `(at most ${LIMIT_MILLISECONDS}: ${verdict})\n`,
  );
  process.exitCode = verdict === 'kept' ? 0 : 1;
} finally {
  await setting.close();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
