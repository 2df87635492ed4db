import { createServer } from 'node:http';
import {
  createLogger,
  createMetrics,
  listen,
  parseEnvironment,
  processVariables,
  serviceApp,
  wireProfile,
} from '@holdfast/http-kit';
import { clientOf, identityVariables, openIdentity } from '@holdfast/identity';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { csvOf, gate, startExport, stateOf, withRows } from './support/requests.js';

describe('the token an export acts with', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness();
    withRows(service.catalog);
  });
  afterAll(() => service.close());

  /** The token that the worker shows to the catalog, caught on its way. */
  async function caught(): Promise<{ readonly id: string; readonly token: string; readonly open: () => void }> {
    const slow = gate(service.catalog, '/entity/slow');
    const handler = service.catalog.answers.get('/entity/slow');
    let token = '';
    service.catalog.answers.set('/entity/slow', (request, response) => {
      token = (request.headers.authorization ?? '').replace('Bearer ', '');
      if (typeof handler === 'function') return handler(request, response);
    });
    const id = await startExport(service, csvOf('/entity/slow'));
    await slow.reached;
    return { id, token, open: slow.open };
  }

  const ask = (id: string, token: string | null) => service.get(`/job/${id}/delegation`, { token });

  it('counts while the export runs; who does not have it learns nothing', async () => {
    const { id, token, open } = await caught();
    expect(await (await ask(id, token)).json()).toEqual({ active: true });
    expect((await ask(id, 'alice-token')).status).toBe(401);
    expect((await ask(id, null)).status).toBe(401);
    const other = '00000000-0000-4000-8000-000000000000';
    expect(await (await ask(other, token)).json()).toEqual({ active: false });
    open();
    await eventually(async () => ((await stateOf(service, id)) === 'completed' ? true : null));
    expect(await (await ask(id, token)).json()).toEqual({ active: false });
  });

  it('is refused by other services once the export is over, by configuration alone', async () => {
    const { id, token, open } = await caught();
    let now = Date.now();
    const other = await startOtherService(service, () => now);
    try {
      const asked = await fetch(other.url, { headers: { authorization: `Bearer ${token}` } });
      expect([asked.status, await asked.text()]).toEqual([200, 'alice']);
      await service.get(`/job/${id}`, { method: 'DELETE' });
      // verdicts are remembered for a minute
      now += 61_000;
      const refused = await fetch(other.url, { headers: { authorization: `Bearer ${token}` } });
      expect(refused.status).toBe(401);
      expect(await refused.text()).toContain('is over');
    } finally {
      open();
      await other.close();
    }
  });
});

/** A service that knows its clients, as catalog and object store do. */
async function startOtherService(service: Harness, now: () => number) {
  const config = parseEnvironment(
    { ...identityVariables, ...processVariables },
    {
      SERVICE_JWKS: service.environment.SERVICE_JWKS ?? '',
      REVOCATION_URL: `${service.url}/job`,
    },
  );
  const log = createLogger({ service: 'other', level: 'silent' });
  const metrics = createMetrics();
  const profile = wireProfile('standard');
  const identity = await openIdentity({ config, profile, log, audience: 'urn:service:catalog', ports: { now } });
  const app = serviceApp({
    profile,
    log,
    metrics,
    trustProxy: 'loopback',
    stopSignal: new AbortController().signal,
    routes: (routes) => {
      routes.use(identity.authenticate);
      routes.use((request, response) => {
        response.end(clientOf(request).client?.id ?? 'nobody');
      });
    },
  });
  const server = createServer(app);
  const port = await listen(server, 0, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      await identity.close();
    },
  };
}

describe('a server that wants the caller’s own credential', () => {
  it('gets it, and servers of ours do not', async () => {
    const probe = await startHarness({ worker: false });
    const { origin } = probe.catalog;
    const service = await startHarness({
      environment: { CATALOGS: JSON.stringify([{ publicHost: 'other.org', baseUrl: origin, delegation: 'forward' }]) },
    });
    try {
      withRows(probe.catalog);
      const url = service.store.add('/os/a', 'a');
      probe.catalog.answers.set('/attribute/d', [{ url: `https://x.org${url}` }]);
      const queries = [
        { processor: 'csv', query_path: '/entity/s:t', output_path: 't' },
        { processor: 'download', query_path: '/attribute/d', output_path: 'd' },
      ];
      const seen: unknown[] = [];
      service.store.refuse = (method, path, sub) => {
        if (path.startsWith('/os/a')) seen.push([method, sub]);
        return null;
      };
      const answer = await service.post('/file', { catalog: { host: 'other.org', queries } });
      expect(answer.status).toBe(200);
      expect(probe.catalog.asked.map(({ token }) => token)).toEqual([
        { opaque: 'alice-token' },
        { opaque: 'alice-token' },
      ]);
      expect(seen).toEqual([['GET', 'alice']]);
    } finally {
      await service.close();
      await probe.close();
    }
  });
});
