/**
 * `pnpm bench csv-bag [rows] [rounds]`: a table as CSV in a zip and in a tar bag, against the same done by hand: the catalog's answer
 * piped through archiver (for tar through a scratch file, since a tar header holds the size) into the object store. Issue 8 allows 1.25
 * times as long.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createHttpClient, objectStoreClient } from '@holdfast/clients';
import { serviceSigner } from '@holdfast/identity';
import { measure, report } from '@holdfast/testkit';
import { type Archiver, TarArchive, ZipArchive } from 'archiver';
import { startSetting } from './setting.js';

const LIMIT = 1.25;
const rows = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 3);
const setting = await startSetting();
try {
  const { stack, call } = setting;
  const { id } = (await (await call('POST', '/data/catalog')).json()) as { id: string };
  await call('POST', `/data/catalog/${id}/schema`, JSON.stringify([model()]), { 'Content-Type': 'application/json' });
  await call('POST', `/data/catalog/${id}/entity/b:t`, ReadableStream.from(csv(rows)), {
    'Content-Type': 'text/csv',
    Accept: 'text/csv',
  }).then((answer) => answer.body?.cancel());
  const keys = JSON.parse(await readFile(join(stack.dataDir, 'keys.json'), 'utf8'));
  const signer = serviceSigner(keys.exportServiceKey);
  const http = createHttpClient({
    origin: stack.url,
    credential: async () => ({ bearer: await signer.serviceToken('urn:service:objectstore') }),
  });
  const store = objectStoreClient(http);
  const catalogRows = async (): Promise<Readable> => {
    const { body } = await call('GET', `/data/catalog/${id}/entity/b:t`, undefined, { Accept: 'text/csv' });
    if (body === null) throw new Error('The catalog answered nothing.');
    return Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  };
  let count = 0;
  const put = (archive: Archiver): Promise<string> => {
    count += 1;
    const content = archive.pipe(new PassThrough());
    return store.put(`/objects/export-results/by-hand/${count}`, content, { parents: true, idleTimeout: 0 });
  };
  const byHand = {
    zip: async () => {
      const archive = new ZipArchive({ zlib: { level: 1 } });
      const stored = put(archive);
      archive.append(await catalogRows(), { name: 'b/data/t.csv' });
      await archive.finalize();
      await stored;
    },
    tar: async () => {
      const scratch = join(stack.dataDir, 'by-hand.csv');
      await pipeline(await catalogRows(), createWriteStream(scratch));
      const archive = new TarArchive();
      const stored = put(archive);
      archive.append(createReadStream(scratch), { name: 'b/data/t.csv', stats: await stat(scratch) });
      await archive.finalize();
      await stored;
      await rm(scratch);
    },
  };
  const queries = [{ processor: 'csv', query_path: '/entity/b:t', output_path: 't' }];
  let kept = true;
  for (const archiver of ['zip', 'tar'] as const) {
    const exported = {
      bag: { bag_name: 'b', bag_archiver: archiver },
      catalog: { host: setting.host, catalog_id: id, queries },
    };
    const measured = await measure(
      [
        { name: `${archiver} by hand`, run: byHand[archiver] },
        {
          name: `${archiver} bag`,
          run: async () => {
            await setting.export('bag', exported);
          },
        },
      ],
      rounds,
    );
    kept = report(`${rows} rows of CSV in a ${archiver}, median of ${rounds} rounds`, measured, LIMIT) && kept;
  }
  process.exitCode = kept ? 0 : 1;
  await http.close();
} finally {
  await setting.close();
}

function model(): object {
  const column = (name: string, type: string) => ({ name, type });
  return {
    schema_name: 'b',
    tables: {
      t: {
        table_name: 't',
        column_definitions: [
          column('n', 'int8'),
          column('name', 'text'),
          column('x', 'float8'),
          column('day', 'date'),
          column('note', 'text'),
        ],
      },
    },
  };
}

async function* csv(total: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('n,name,x,day,note\n');
  for (let from = 0; from < total; from += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, total - from) }, (_, index) => {
      const n = from + index;
      return `${n},plot ${n % 977},${((n * 7919) % 100_003) / 7},20${10 + (n % 15)}-0${1 + (n % 9)}-1${n % 9},"note ${(n * 31) % 65_537} of the season, as written"\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}
