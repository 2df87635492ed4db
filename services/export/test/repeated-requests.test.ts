import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { csvOf, csvRequest, gate, stateOf, withRows } from './support/requests.js';

describe('a request with an Idempotency-Key', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness({ environment: { PER_USER_CONCURRENT: '4' } });
    withRows(service.catalog);
  });
  afterAll(() => service.close());

  const post = (key: string, body: object = csvRequest, token = 'alice-token') =>
    service.post('/file', body, { token, headers: { 'idempotency-key': key } });
  const idOf = (answer: Response) => answer.headers.get('x-export-id') ?? '';

  it('43: is the same export when repeated, and refused with another body', async () => {
    const first = await post('a');
    const again = await post('a');
    expect([again.status, idOf(again), await again.text()]).toEqual([200, idOf(first), await first.text()]);
    expect((await post('a', csvOf('/entity/s:t', 'other'))).status).toBe(409);
    expect(idOf(await post('a', csvRequest, 'bob-token'))).not.toBe(idOf(first));
    expect(idOf(await service.post('/file', csvRequest))).not.toBe(idOf(first));
    expect((await post('k'.repeat(201))).status).toBe(400);
  });

  it('waits for the export that is at work, and keeps it alive when the first caller goes', async () => {
    const slow = gate(service.catalog, '/entity/slow');
    const abort = new AbortController();
    const first = fetch(`${service.url}/file`, {
      method: 'POST',
      body: JSON.stringify(csvOf('/entity/slow')),
      headers: { authorization: 'Bearer alice-token', 'idempotency-key': 'b' },
      signal: abort.signal,
    });
    await slow.reached;
    const second = post('b', csvOf('/entity/slow'));
    await eventually(async () => {
      const rows = await onDatabase(service.databaseUrl, 'select 1 from ex_export where watched_until is not null');
      return rows[0] ?? null;
    });
    abort.abort();
    await expect(first).rejects.toThrow();
    await new Promise((resolve) => {
      setTimeout(resolve, 7_000);
    });
    slow.open();
    expect((await second).status).toBe(200);
  });

  it('begins anew when the export was cancelled', async () => {
    const slow = gate(service.catalog, '/entity/slow');
    const first = post('c', csvOf('/entity/slow'));
    await slow.reached;
    const [{ id } = { id: '' }] = await onDatabase(
      service.databaseUrl,
      `select id from ex_export where state = 'running'`,
    );
    await service.get(`/job/${String(id)}`, { method: 'DELETE' });
    expect((await first).status).toBe(409);
    slow.open();
    const again = await post('c', csvOf('/entity/slow'));
    expect([again.status, idOf(again) === id]).toEqual([200, false]);
  });

  it('is forgotten with the export', async () => {
    const id = idOf(await post('d'));
    await onDatabase(service.databaseUrl, `update ex_export set expires = now() - interval '1 s' where id = $1`, [id]);
    const again = await post('d');
    expect([again.status, idOf(again) === id]).toEqual([200, false]);
    expect(await stateOf(service, idOf(again))).toBe('completed');
  });
});
