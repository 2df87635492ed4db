import { contextOf } from '@holdfast/http-kit';
import type { Request, Response } from 'express';
import type { ExportRecord } from '../job/export-record.js';
import { isFinal } from '../job/export-state.js';
import { statusDocument } from '../job/status-document.js';
import type { ApiParts } from './export-parts.js';

/** Milliseconds between events at least (spec/export.md 2.1: at most one a second). */
const BETWEEN = 1_000;

/** Milliseconds after which a line without meaning keeps proxies from hanging up. */
const KEEP_ALIVE = 15_000;

/** Id of the last event: a browser that comes back with it has seen the end. */
const LAST = 'final';

/**
 * The changes of an export as Server-Sent Events: `event: status` with the status document, one at once, the last one with the final
 * state; then the answer ends. Browsers ask again after any end; who has seen the final state is told to stop (204).
 */
export async function sendJobEvents(
  parts: ApiParts,
  request: Request,
  response: Response,
  record: ExportRecord,
): Promise<void> {
  if (request.get('last-event-id') === LAST && isFinal(record.state)) {
    response.statusCode = 204;
    response.end();
    return;
  }
  const { signal } = contextOf(request);
  response.statusCode = 200;
  response.setHeader('Content-Type', 'text/event-stream');
  // some reverse proxies gather what they get
  response.setHeader('X-Accel-Buffering', 'no');
  response.write('retry: 2000\n\n');
  await sendChanges(parts, response, record.id, signal);
  response.end();
}

async function sendChanges(parts: ApiParts, response: Response, id: string, signal: AbortSignal): Promise<void> {
  let told = '';
  let toldAt = 0;
  for (;;) {
    const record = await parts.store.find(id);
    // discarded meanwhile: there is nothing more to tell
    if (record === null || signal.aborted) return;
    const document = JSON.stringify(statusDocument(record, await parts.store.outputs(id), parts.shownStatus));
    if (document !== told) {
      response.write(`${isFinal(record.state) ? `id: ${LAST}\n` : ''}event: status\ndata: ${document}\n\n`);
      told = document;
      toldAt = performance.now();
    } else if (performance.now() - toldAt > KEEP_ALIVE) {
      response.write(':\n\n');
      toldAt = performance.now();
    }
    if (isFinal(record.state)) return;
    await pause(BETWEEN, signal);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
  });
}
