import { contextOf } from '@holdfast/http-kit';
import type { CatalogRequest } from './catalog-request.js';

/**
 * Cuts a client off that makes no progress: that neither takes what it was sent nor sends what it announced for the time the operator
 * allows (spec/catalog-data.md 9.5). Its database connection is free then, which is why it must not wait for ever. Time in which the
 * database works, or the client's bytes wait for it, does not count.
 */
export function cutStalled({ request, response, settings }: CatalogRequest): void {
  const { socket } = request;
  const milliseconds = settings.stallMilliseconds;
  // the socket counts bytes that leave its queue as activity, not only whole writes
  response.setTimeout(milliseconds, () => {
    const sending = response.headersSent && response.writableLength > 0;
    const receiving = !request.complete && request.readableLength === 0;
    if (!sending && !receiving) {
      socket.setTimeout(milliseconds);
      return;
    }
    contextOf(request).log.info({ stalled: sending ? 'answer' : 'body' }, 'a client made no progress and was cut off');
    socket.destroy();
  });
}
