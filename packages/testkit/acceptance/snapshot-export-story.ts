import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { infoValues, validateBag } from '@holdfast/bagit';
import { expect, it } from '@jest/globals';
import { at, text } from './documents.js';
import type { Story } from './story.js';

/** Queries of the export: enough that rows are added between them. */
const QUERIES = 40;

/** All queries of an export see one moment, whatever is written meanwhile. In catalogs of their own. */
export function describeSnapshotExports(story: () => Story): void {
  /** A catalog with one table. @returns its path and id */
  async function newCatalog(annotations: object): Promise<{ readonly id: string; readonly catalog: string }> {
    const { client, wire } = story().server;
    const catalogs = `${wire.catalog}/catalog`;
    const id = text(at((await client.call('POST', catalogs)).json(), 'id'));
    const catalog = `${catalogs}/${id}`;
    const columns = [{ name: 'n', type: wire.textColumn }];
    const table = { table_name: 'reading', column_definitions: columns, annotations };
    const model = [{ schema_name: 'tide', tables: { reading: table } }];
    expect((await client.call('POST', `${catalog}/schema`, { json: model })).status).toBe(201);
    const csv = `n\n${Array.from({ length: 20 }, (_, n) => `${n}\n`).join('')}`;
    expect((await client.call('POST', `${catalog}/entity/tide:reading`, { csv })).status).toBe(200);
    return { id, catalog };
  }

  it('shows one moment in all its files, while rows are added and deleted', async () => {
    const { client, wire } = story().server;
    const { id, catalog } = await newCatalog({});
    const rows = `${catalog}/entity/tide:reading`;
    const paths = ['/entity/tide:reading@sort(RID)', '/aggregate/tide:reading/rows:=cnt(*),last:=max(RMT)'];
    const queries = Array.from({ length: QUERIES }, (_, index) => ({
      processor: 'csv',
      processor_params: { query_path: paths[index % paths.length], output_path: `${index}` },
    }));
    let over = false;
    let written = 0;
    const writing = (async () => {
      while (!over) {
        await client.call('POST', rows, { csv: `n\n${1_000 + written}\n` });
        await client.call('DELETE', `${rows}/n=${1_000 + written - 2}`);
        written += 1;
      }
    })();
    // the first writes are done before the export begins, and others follow
    while (written === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const before = written;
    const made = await client.call('POST', `${wire.exports}/file`, {
      json: { catalog: { host: client.url, catalog_id: id, queries } },
    });
    const meanwhile = written - before;
    over = true;
    await writing;
    expect(made.status).toBe(wire.exportSuccess);
    expect(meanwhile).toBeGreaterThan(0);
    const urls = made.text.split('\n');
    expect(urls).toHaveLength(QUERIES);
    const files = await Promise.all(urls.map(async (url) => (await client.call('GET', url)).text));
    expect(new Set(files).size).toBe(paths.length);
    expect(files[0]?.trimEnd().split('\n').length).toBeGreaterThan(20);
    const log = await client.call('GET', (urls[0] ?? '').replace(/\/0\.csv$/, '/log'));
    expect(log.text).toMatch(new RegExp(`catalog ${client.url}${catalog}@[0-9A-Z-]+\\n`));
    expect(log.text).not.toContain('WARNING');
    await client.call('DELETE', catalog);
  }, 120_000);

  it('reads a table without history as it is now, and the bag says so', async () => {
    const { client, wire, scratch } = story().server;
    const { id, catalog } = await newCatalog({ 'tag:example.org,2020:history-capture': false });
    const query = { query_path: '/entity/tide:reading@sort(RID)', output_path: 'reading' };
    const made = await client.call('POST', `${wire.exports}/bag`, {
      json: {
        bag: { bag_name: 'tide', bag_archiver: 'zip' },
        catalog: { host: client.url, catalog_id: id, queries: [{ processor: 'csv', processor_params: query }] },
      },
    });
    expect([made.status, made.status === wire.exportSuccess ? '' : made.text]).toEqual([wire.exportSuccess, '']);
    const path = join(scratch, 'tide.zip');
    await writeFile(path, (await client.call('GET', made.text)).bytes);
    const { valid, info } = await validateBag(path);
    expect(valid).toBe(true);
    expect(infoValues(info, 'Source-Query')).toEqual([`${query.query_path} > reading.csv`]);
    expect(infoValues(info, 'Source-Warning')).toEqual([`${query.query_path} was read live, not at the snapshot`]);
    await client.call('DELETE', catalog);
  }, 60_000);
}
