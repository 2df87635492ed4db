import { AppError } from '@holdfast/http-kit';
import { authorize } from '../authorize/rights.js';
import { findDefined } from '../directory/find-place.js';
import { listChildren } from '../directory/list-children.js';
import { listsAt } from '../directory/lists-at.js';
import { type CanonicalPath, shownPath, storedPath } from '../naming/canonical-path.js';
import type { Exchange } from './exchange.js';
import { sendListing } from './send-listing.js';

/** GET and HEAD of a namespace: its direct children (spec/objectstore.md 5.1). */
export async function getNamespace(exchange: Exchange, path: CanonicalPath): Promise<void> {
  await sendListing(exchange, async (connection) => {
    const place = await findDefined(connection, path);
    if (place.target.kind !== 'namespace') throw new AppError('not_found', 'The namespace is not there any more.');
    authorize('list-namespace', listsAt(place), exchange.caller);
    return {
      title: shownPath(exchange.prefix, path),
      pages: () => listChildren(connection, place.target),
      shown: (child) => shownPath(exchange.prefix, storedPath(child)),
    };
  });
}
