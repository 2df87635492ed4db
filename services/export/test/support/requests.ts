import type { FakeCatalog } from './fake-catalog.js';
import type { Harness } from './harness.js';

/** The smallest request there is: one table as CSV. */
export const csvRequest = {
  catalog: { host: 'x.org', queries: [{ processor: 'csv', query_path: '/entity/s:t', output_path: 't' }] },
};

/** A request for one table. */
export function csvOf(queryPath: string, outputPath = 't'): object {
  return {
    catalog: { host: 'x.org', queries: [{ processor: 'csv', query_path: queryPath, output_path: outputPath }] },
  };
}

/** Two rows where {@link csvRequest} asks. */
export function withRows(catalog: FakeCatalog): void {
  catalog.answers.set('/entity/s:t', [
    { RID: '1-A', n: 1 },
    { RID: '1-B', n: 2 },
  ]);
}

/** A query that waits until it is let go, and says when it was reached. */
export function gate(
  catalog: FakeCatalog,
  path: string,
): { readonly reached: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    catalog.answers.set(path, async (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/csv' });
      response.write('RID\n');
      resolve();
      await opened;
      response.end('1-A\n');
    });
  });
  return { reached, open };
}

/** Starts an export without waiting for it. @returns its id */
export async function startExport(service: Harness, body: object, token = 'alice-token'): Promise<string> {
  const answer = await service.post('/file', body, { token, headers: { prefer: 'respond-async' } });
  const { id } = (await answer.json()) as { readonly id: string };
  return id;
}

/** State of an export as its maker sees it. */
export async function stateOf(service: Harness, id: string, token = 'alice-token'): Promise<string> {
  const { state } = (await (await service.get(`/job/${id}`, { token })).json()) as { readonly state: string };
  return state;
}
