import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Harness, startHarness } from './support/harness.js';
import { csvOf, gate, startExport, stateOf, withRows } from './support/requests.js';

describe('Server-Sent Events of an export', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness();
    withRows(service.catalog);
  });
  afterAll(() => service.close());

  const events = (id: string, headers: Record<string, string> = {}, token = 'alice-token') =>
    service.get(`/job/${id}`, { token, headers: { accept: 'text/event-stream', ...headers } });

  it('tell every change, the last one the final state', async () => {
    const slow = gate(service.catalog, '/entity/slow');
    const id = await startExport(service, csvOf('/entity/slow'));
    await slow.reached;
    const answer = await events(id);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"state":"running"')) slow.open();
    }
    const parts = text.split('\n\n').filter((part) => part.includes('event: status'));
    const documents = parts.map((part) => JSON.parse(/^data: (.*)$/m.exec(part)?.[1] ?? ''));
    expect(documents.at(0)).toMatchObject({ id, state: 'running', results: [] });
    expect(documents.at(-1)).toMatchObject({ id, state: 'completed', results: [{ path: 't.csv' }] });
    expect(parts.filter((part) => part.includes('id: final'))).toEqual([parts.at(-1)]);
  });

  it('end at once for an export that is over, and stop a browser that asks again', async () => {
    const id = await startExport(service, csvOf('/entity/s:t'));
    while ((await stateOf(service, id)) !== 'completed');
    const text = await (await events(id)).text();
    expect(text.match(/event: status/g)).toHaveLength(1);
    expect((await events(id, { 'last-event-id': 'final' })).status).toBe(204);
    expect((await events(id, {}, 'bob-token')).status).toBe(403);
  });
});
