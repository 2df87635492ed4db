import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { httpFetch, infoValues, validateBag } from '@holdfast/bagit';
import { describe, expect, it } from '@jest/globals';
import { at, items, text } from './documents.js';
import { expectError } from './expect-error.js';
import { picture } from './object-story.js';
import type { Story } from './story.js';

const fetchPath = '/attribute/shore:picture/url,length,md5,sha256,filename';
const query = (processor: string, path: string, output: string): object => ({
  processor,
  processor_params: { query_path: path, output_path: output },
});

/** Query results leave the catalog as files and as a bag. */
export function describeExports(story: () => Story): void {
  const request = (queries: readonly object[], more: object = {}): object => {
    const { server, catalogId } = story();
    return { catalog: { host: server.client.url, catalog_id: catalogId, query_processors: queries }, ...more };
  };
  const rows = () => [query('csv', '/entity/shore:observation@sort(RID)', 'tables/observation')];
  const bag = () => ({ bag: { bag_name: 'pools', bag_archiver: 'zip', bag_metadata: { 'Contact-Name': 'Ann' } } });

  describe('a bag', () => {
    it('is made for those who are known, of catalogs that are served here', async () => {
      const { client, wire } = story().server;
      const post = (json: object, as: 'alice' | 'bob' | null = 'alice') =>
        client.call('POST', `${wire.exports}/bag`, { json, as });
      expectError(await post(request(rows(), bag()), null), wire, 401);
      expectError(await post(request(rows(), bag()), 'bob'), wire, 403);
      expectError(await post(request(rows())), wire, 400);
      expectError(
        await post({ catalog: { host: 'evil.example', queries: rows() }, ...bag() }),
        wire,
        400,
        'evil.example',
      );
      expectError(await post(request([query('csv', '/entity/shore:nowhere', 'x')], bag())), wire, 400, 'nowhere');
      expectError(await post(request([query('csv', '/entity/shore:visit', '../x')], bag())), wire, 400);
      const unnamed = await post(request(rows(), { bag: { bag_name: 'pools' } }));
      expect(unnamed.status).toBe(wire.bagWithoutArchiver);
    });

    it('comes as one URL', async () => {
      const { client, wire } = story().server;
      const queries = [
        ...rows(),
        query('json', '/attributegroup/shore:observation/species;n:=cnt(*)@sort(species)', 'counts'),
        query('fetch', fetchPath, 'pictures'),
      ];
      const made = await client.call('POST', `${wire.exports}/bag`, { json: request(queries, bag()) });
      expect({ status: made.status, type: made.headers['content-type'] }).toEqual({
        status: wire.exportSuccess,
        type: 'text/uri-list',
      });
      const id = text(made.headers['x-export-id']);
      expect(made.text).toBe(`${client.url}${wire.exports}/file/${id}/pools.zip`);
      expect(made.headers.location).toBe(made.text);
      expect(made.headers.link).toContain('rel="monitor"');
      story().bag = made.text;
    });

    it('is announced by HEAD as it is sent by GET', async () => {
      const { server, bag: url } = story();
      const head = await server.client.call('HEAD', url);
      const whole = await server.client.call('GET', url);
      for (const { status, headers } of [head, whole]) {
        expect(status).toBe(200);
        expect(headers).toMatchObject({
          'content-type': 'application/zip',
          'content-disposition': "filename*=UTF-8''pools.zip",
          'content-length': String(whole.bytes.byteLength),
          'accept-ranges': 'bytes',
          'x-content-type-options': 'nosniff',
        });
      }
      expect(head.bytes.byteLength).toBe(0);
      const { etag = '' } = head.headers;
      expect((await server.client.call('GET', url, { headers: { 'if-none-match': etag } })).status).toBe(304);
      const part = await server.client.call('GET', url, { headers: { range: 'bytes=0-1' } });
      expect([part.status, part.text]).toEqual([206, 'PK']);
      const short = await server.client.call('GET', url.replace(/\/pools\.zip$/, ''));
      expect(short.bytes.equals(whole.bytes)).toBe(true);
    });

    it('is for its maker alone', async () => {
      const { server, bag: url } = story();
      const { client, wire } = server;
      expectError(await client.call('GET', url, { as: null }), wire, 401);
      expectError(await client.call('GET', url, { as: 'bob' }), wire, 403);
      const unknown = url.replace(/[0-9a-f-]{36}/, '00000000-0000-4000-8000-000000000000');
      expectError(await client.call('GET', unknown), wire, 404);
      expectError(await client.call('GET', url.replace('pools.zip', 'ponds.zip')), wire, 404);
    });

    it('is valid, with the files that it only refers to', async () => {
      const { server, bag: url, picture: version, catalog } = story();
      const { client, wire } = server;
      const path = join(server.scratch, 'pools.zip');
      await writeFile(path, (await client.call('GET', url)).bytes);
      const incomplete = await validateBag(path);
      expect(incomplete.errors.map(({ code }) => code)).toEqual(['incomplete']);
      const fetched: string[] = [];
      const get = httpFetch({ headers: { authorization: 'Bearer alice-token' }, trustedOrigins: [client.url] });
      const report = await validateBag(path, {
        fetch: (one) => {
          fetched.push(one);
          return get(one);
        },
      });
      expect(report).toMatchObject({ valid: true, errors: [], version: '1.0', fetch: { entries: 1, fetched: 1 } });
      expect(report.algorithms).toEqual(expect.arrayContaining(['md5', 'sha256']));
      expect(report.payload.files).toBe(3);
      expect(fetched).toEqual([`${client.url}${version}`]);
      expect(infoValues(report.info, 'Contact-Name')).toEqual(['Ann']);
      expect(infoValues(report.info, 'Payload-Oxum')).toEqual([`${report.payload.bytes}.3`]);
      const [source = ''] = infoValues(report.info, 'Source-Catalog');
      expect(source).toMatch(new RegExp(`${wire.catalog}/catalog/${catalog.split('/').at(-1)}@[0-9A-Z-]+$`));
    });

    it('has a log that can be read by its maker', async () => {
      const { server, bag: url } = story();
      const { client, wire } = server;
      const log = await client.call('GET', url.replace(/pools\.zip$/, 'log'));
      expect(log.status).toBe(200);
      expect(log.headers['content-type']).toBe(wire.logType);
      expect(log.text).toContain('/entity/shore:observation');
      expect(log.text).not.toMatch(/alice-token|Bearer/);
      expectError(await client.call('GET', url.replace(/pools\.zip$/, 'log'), { as: 'bob' }), wire, 403);
    });
  });

  describe('an export of files', () => {
    it('gives one URL for each, with the bytes that the catalog sends', async () => {
      const { server, catalog } = story();
      const { client, wire } = server;
      const queries = [...rows(), query('json', '/entity/shore:visit@sort(RID)', 'tables/visit')];
      const made = await client.call('POST', `${wire.exports}/file`, { json: request(queries, bag()) });
      expect(made.status).toBe(wire.exportSuccess);
      const [csv = '', json = '', ...more] = made.text.split('\n');
      expect([csv, json].map((url) => url.split('/').slice(-2).join('/'))).toEqual([
        'tables/observation.csv',
        'tables/visit.json',
      ]);
      expect(more).toEqual([]);
      expect(made.headers.location).toBeUndefined();
      const file = await client.call('GET', csv);
      expect(file.headers['content-type']).toBe('text/csv');
      const direct = await client.call('GET', `${catalog}/entity/shore:observation@sort(RID)`, {
        headers: { accept: 'text/csv' },
      });
      expect(file.text).toBe(direct.text);
      expectError(await client.call('GET', csv.replace(/\/tables.*$/, '')), wire, 400);
    });

    it('keeps or omits empty results as the profile says', async () => {
      const { client, wire } = story().server;
      const made = await client.call('POST', `${wire.exports}/file`, {
        json: request([query('csv', '/entity/shore:tide', 'tide')]),
      });
      expect(made.status).toBe(wire.exportSuccess);
      if (!wire.keepsEmptyResults) expect(made.text).toBe('');
      else expect((await client.call('GET', made.text)).text).toBe('RID,RCT,RMT,RCB,RMB,date,low\n');
    });

    it('can be handed over and watched', async () => {
      const { client, wire } = story().server;
      const started = await client.call('POST', `${wire.exports}/file`, {
        json: request(rows()),
        headers: { prefer: 'respond-async' },
      });
      expect(started.status).toBe(202);
      expect(started.headers['preference-applied']).toBe('respond-async');
      const job = text(started.headers.location);
      expect(job).toBe(`${client.url}${wire.exports}/job/${text(at(started.json(), 'id'))}`);
      const done = await untilFinal(() => client.call('GET', job).then((answer) => answer.json()));
      expect(done).toMatchObject({ state: 'completed', kind: 'file', error: null });
      const [result] = items(at(done, 'results'));
      const content = await client.call('GET', text(at(result, 'url')));
      expect(result).toMatchObject({
        path: 'tables/observation.csv',
        bytes: content.bytes.byteLength,
        sha256: createHash('sha256').update(content.bytes).digest('hex'),
      });
    });

    it('brings the content of objects into the export', async () => {
      const { client, wire } = story().server;
      const made = await client.call('POST', `${wire.exports}/file`, {
        json: request([query('download', fetchPath, 'pictures')]),
      });
      expect(made.status).toBe(wire.exportSuccess);
      expect(made.text).toMatch(/\/pictures\/pool\.png$/);
      expect((await client.call('GET', made.text)).bytes.equals(picture)).toBe(true);
    });
  });
}

async function untilFinal(read: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    const status = await read();
    if (!['queued', 'running'].includes(text(at(status, 'state')))) return status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
