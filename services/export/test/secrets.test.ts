import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';

/** Anything that would let somebody act as the caller or as the service. */
const SECRETS = /alice-token|eyJ[A-Za-z0-9_-]+\./;

describe('credentials (spec/identity.md 6)', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness();
  });
  afterAll(() => service.close());

  async function everythingStored(): Promise<string> {
    const tables = await onDatabase(
      service.databaseUrl,
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('public', 'bullmq')`,
    );
    const dumps = await Promise.all(
      tables.map(({ name }) =>
        onDatabase(service.databaseUrl, `select to_jsonb(t)::text as row from ${String(name)} t`),
      ),
    );
    return dumps
      .flat()
      .map(({ row }) => String(row))
      .join('\n');
  }

  it('lie sealed while an export runs, are gone afterwards, and are in no log', async () => {
    let release: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      service.catalog.answers.set('/entity/s:t', (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/csv' });
        response.write('RID\n');
        release = () => response.end('1-A\n');
        resolve();
      });
    });
    const answer = service.post('/file', {
      catalog: { host: 'x.org', queries: [{ processor: 'csv', query_path: '/entity/s:t', output_path: 't' }] },
    });
    await reached;
    const during = await everythingStored();
    expect(during).toContain('"sealed": "s1.');
    expect(during).not.toMatch(SECRETS);
    release();
    expect((await answer).status).toBe(200);
    const after = await everythingStored();
    expect(after).not.toContain('sealed');
    expect(after).not.toMatch(SECRETS);
    expect(service.logged.join('')).not.toMatch(SECRETS);
  });

  it('that have gone do not become anonymous access (identity example 22)', async () => {
    const waiting = await startHarness({ worker: false });
    try {
      const answer = waiting.post('/file', {
        catalog: { host: 'x.org', queries: [{ processor: 'csv', query_path: '/entity/s:t', output_path: 't' }] },
      });
      for (let gone = 0; gone === 0; ) {
        const rows = await onDatabase(waiting.databaseUrl, 'delete from ex_credential returning 1 as gone');
        gone = rows.length;
      }
      await waiting.startWorker();
      expect((await answer).status).toBe(401);
      expect(waiting.catalog.asked).toEqual([]);
    } finally {
      await waiting.close();
    }
  });
});
