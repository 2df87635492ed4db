/**
 * `pnpm bench references [entries] [rounds]`: a bag of that many `fetch` entries, against reading the rows that say them to the end. The
 * growth of the worker's memory must stay below 96 MiB whatever their number (spec/export.md 13.6).
 */
import { measure, report } from '@holdfast/testkit';
import { megabytes, startSetting, watchWorker } from './setting.js';

/** Parsing, checking, sorting and writing each reference three times, over only reading its row. */
const LIMIT = 10;
const LIMIT_GROWTH = 96 * 2 ** 20;
const entries = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 3);
const setting = await startSetting({ MAX_FETCH_ENTRIES: '2000000' });
try {
  const { call, host, stack } = setting;
  const { id } = (await (await call('POST', '/data/catalog')).json()) as { id: string };
  const columns = ['url', 'md5', 'filename'].map((name) => ({ name, type: 'text' }));
  const model = {
    schema_name: 'b',
    tables: { t: { table_name: 't', column_definitions: [...columns, { name: 'length', type: 'int8' }] } },
  };
  await call('POST', `/data/catalog/${id}/schema`, JSON.stringify([model]), { 'Content-Type': 'application/json' });
  await call('POST', `/data/catalog/${id}/entity/b:t`, ReadableStream.from(csv(entries)), {
    'Content-Type': 'text/csv',
    Accept: 'text/csv',
  }).then((answer) => answer.body?.cancel());
  const path = '/attribute/b:t/url,md5,filename,length';
  const request = (count: number) => ({
    bag: { bag_name: 'b', bag_archiver: 'zip' },
    catalog: {
      host,
      catalog_id: id,
      queries: [{ processor: 'fetch', query_path: `${path}?limit=${count}`, output_path: 'f' }],
    },
  });
  await setting.export('bag', request(100));
  const watched = await watchWorker(stack, () => setting.export('bag', request(entries)));
  const measured = await measure(
    [
      {
        name: 'the rows as JSON lines, read to the end',
        run: async () => {
          const accept = { Accept: 'application/x-json-stream' };
          const answer = await call('GET', `/data/catalog/${id}${path}?limit=${entries}`, undefined, accept);
          for await (const _ of answer.body ?? []);
        },
      },
      {
        name: 'a bag that refers to them',
        run: async () => {
          await setting.export('bag', request(entries));
        },
      },
    ],
    rounds,
  );
  const kept = report(`${entries} fetch entries, median of ${rounds} rounds`, measured, LIMIT);
  const flat = watched.growth <= LIMIT_GROWTH;
  process.stdout.write(
    `  worker grew by ${megabytes(watched.growth)} (at most ${megabytes(LIMIT_GROWTH)}: ${flat ? 'kept' : 'MISSED'}), ` +
      `scratch ${megabytes(watched.scratch)}\n`,
  );
  process.exitCode = kept && flat ? 0 : 1;
} finally {
  await setting.close();
}

async function* csv(total: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('url,md5,filename,length\n');
  for (let from = 0; from < total; from += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, total - from) }, (_, index) => {
      const n = from + index;
      const hash = n.toString(16).padStart(32, '0');
      return `/objects/images/site ${n % 97}/${hash}:V${n},${hash},${n % 97}/${hash}.jpg,${n}\n`.replace(
        'site ',
        'site',
      );
    });
    yield Buffer.from(lines.join(''));
  }
}
