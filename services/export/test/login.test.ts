import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { csvOf, gate, withRows } from './support/requests.js';

const PASSWORD = 'correct horse';

function withLogin(login: object, path = '/entity/s:t'): object {
  const { catalog } = csvOf(path) as { readonly catalog: object };
  return { catalog: { ...catalog, ...login } };
}

describe('username and password in a request (spec/export.md 9.2)', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness();
    withRows(service.catalog);
    service.catalog.users.set('dora', PASSWORD);
  });
  afterAll(() => service.close());

  it('42: log in, are used, and end with the export; the password is nowhere', async () => {
    const slow = gate(service.catalog, '/entity/slow');
    const answer = service.post('/file', withLogin({ username: 'dora', password: PASSWORD }, '/entity/slow'), {
      token: null,
      headers: { 'idempotency-key': 'k' },
    });
    await slow.reached;
    expect(service.catalog.asked).toMatchObject([{ cookie: 'session=of-dora-0', sub: null }]);
    const stored = await everythingStored(service.databaseUrl);
    expect(stored).not.toContain(PASSWORD);
    expect(stored).not.toContain('of-dora');
    slow.open();
    const made = await answer;
    expect(made.status).toBe(200);
    expect(service.catalog.sessions.size).toBe(0);
    expect(service.logged.join('')).not.toContain(PASSWORD);
    expect(service.logged.join('')).not.toContain('of-dora');
    const [row] = await onDatabase(service.databaseUrl, 'select owner, readers from ex_export');
    expect(row).toEqual({ owner: 'dora', readers: ['dora'] });
    expect((await service.get(`/file/${made.headers.get('x-export-id')}`)).status).toBe(403);
  });

  it('42: are refused when wrong, and half a login is malformed', async () => {
    const post = (login: object) => service.post('/file', withLogin(login), { token: null });
    expect((await post({ username: 'dora', password: 'wrong' })).status).toBe(401);
    expect((await post({ username: 'dora' })).status).toBe(400);
    expect((await post({ username: '', password: PASSWORD })).status).toBe(401);
    expect((await post({ password: PASSWORD })).status).toBe(401);
  });

  it('are used upstream only when the caller has a login of its own', async () => {
    const made = await service.post('/file', withLogin({ username: 'dora', password: PASSWORD }));
    expect(made.status).toBe(200);
    expect((await service.get(`/file/${made.headers.get('x-export-id')}`)).status).toBe(200);
    expect(service.catalog.asked.at(-1)).toMatchObject({ cookie: expect.stringContaining('of-dora') });
    expect(service.catalog.sessions.size).toBe(0);
  });

  it('end when the export is cancelled before it runs', async () => {
    const idle = await startHarness({ worker: false });
    try {
      idle.catalog.users.set('dora', PASSWORD);
      const posted = await idle.post('/file', withLogin({ username: 'dora', password: PASSWORD }), {
        headers: { prefer: 'respond-async' },
      });
      expect(idle.catalog.sessions.size).toBe(1);
      const { id } = (await posted.json()) as { readonly id: string };
      expect((await idle.get(`/job/${id}`, { method: 'DELETE' })).status).toBe(204);
      expect(idle.catalog.sessions.size).toBe(0);
    } finally {
      await idle.close();
    }
  });
});

async function everythingStored(url: string): Promise<string> {
  const tables = await onDatabase(
    url,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('public', 'bullmq')`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await onDatabase(url, `select to_jsonb(t)::text as row from ${String(name)} t`);
    rows.push(...found.map(({ row }) => String(row)));
  }
  return rows.join('\n');
}
