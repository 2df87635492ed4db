/**
 * `pnpm bench downloads [GiB]`: a zip bag of that many GiB of `download` entries, of 64 MiB each. The worker's memory may grow by 96 MiB and
 * it may put nothing into scratch (spec/export.md 13.6, issue 8). The floor is the same bytes copied from object to object by hand.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHttpClient, objectStoreClient } from '@holdfast/clients';
import { serviceSigner } from '@holdfast/identity';
import { measure, report } from '@holdfast/testkit';
import { megabytes, startSetting, watchWorker } from './setting.js';

const MIB = 2 ** 20;
const FILE = 64 * MIB;
const LIMIT = 3;
const LIMIT_GROWTH = 96 * MIB;
const files = Math.max(1, Math.round((Number(process.argv[2] ?? 10) * 1024 * MIB) / FILE));
const setting = await startSetting();
try {
  const { call, host, stack } = setting;
  const block = randomBytes(FILE);
  await call('PUT', '/objects/bench', '', { 'Content-Type': 'application/x-objstore-namespace' });
  const put = await call('PUT', '/objects/bench/image.png', block, { 'Content-Type': 'image/png' });
  const url = (await put.text()).trim();
  const { id } = (await (await call('POST', '/data/catalog')).json()) as { id: string };
  const columns = ['url', 'filename'].map((name) => ({ name, type: 'text' }));
  const model = { schema_name: 'b', tables: { t: { table_name: 't', column_definitions: columns } } };
  await call('POST', `/data/catalog/${id}/schema`, JSON.stringify([model]), { 'Content-Type': 'application/json' });
  const rows = Array.from({ length: files }, (_, index) => ({ url, filename: `${index}.png` }));
  await call('POST', `/data/catalog/${id}/entity/b:t`, JSON.stringify(rows), { 'Content-Type': 'application/json' });
  const request = (path: string) => ({
    bag: { bag_name: 'b', bag_archiver: 'zip' },
    catalog: {
      host,
      catalog_id: id,
      queries: [{ processor: 'download', query_path: path, output_path: 'f' }],
    },
  });
  await setting.export('bag', request('/entity/b:t/filename=0.png'));
  const keys = JSON.parse(await readFile(join(stack.dataDir, 'keys.json'), 'utf8'));
  const signer = serviceSigner(keys.exportServiceKey);
  const asService = async () => ({ bearer: await signer.serviceToken('urn:service:objectstore') });
  const http = createHttpClient({ origin: stack.url, credential: { bearer: stack.tokens.alice } });
  const store = objectStoreClient(http.as(asService));
  async function* copied(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < files; count += 1) {
      yield* (await objectStoreClient(http).get(url)).body as AsyncIterable<Uint8Array>;
    }
  }
  let watched = { growth: 0, scratch: 0 };
  const measured = await measure(
    [
      {
        name: 'the files read into one object by hand',
        run: async () => {
          const path = '/objects/export-results/by-hand/all';
          await store.put(path, copied(), { parents: true, idleTimeout: 0 });
          await store.remove(path);
        },
      },
      {
        name: 'a zip bag of them',
        run: async () => {
          watched = await watchWorker(stack, () => setting.export('bag', request('/entity/b:t')));
        },
      },
    ],
    1,
  );
  const kept = report(`${files} downloads of 64 MiB`, measured, LIMIT);
  const flat = watched.growth <= LIMIT_GROWTH && watched.scratch === 0;
  process.stdout.write(
    `  worker grew by ${megabytes(watched.growth)}, scratch ${megabytes(watched.scratch)} ` +
      `(at most ${megabytes(LIMIT_GROWTH)} and nothing: ${flat ? 'kept' : 'MISSED'})\n`,
  );
  process.exitCode = kept && flat ? 0 : 1;
  await http.close();
} finally {
  await setting.close();
}
