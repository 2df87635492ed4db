import { AppError } from '@holdfast/http-kit';
import { authorize } from '../authorize/rights.js';
import { findDefined } from '../directory/find-place.js';
import { listVersions } from '../directory/list-versions.js';
import { listsAt } from '../directory/lists-at.js';
import { type CanonicalPath, shownPath, shownVersion } from '../naming/canonical-path.js';
import type { Exchange } from './exchange.js';
import { sendListing } from './send-listing.js';

/** `name;versions`: the defined versions of an object, newest first (spec/objectstore.md 6.5). */
export async function handleVersions(exchange: Exchange, path: CanonicalPath): Promise<void> {
  await sendListing(exchange, async (connection) => {
    const place = await findDefined(connection, path);
    if (place.target.kind !== 'object') throw new AppError('not_found', 'A namespace has no versions.');
    authorize('list-versions', listsAt(place), exchange.caller);
    return {
      title: `${shownPath(exchange.prefix, path)};versions`,
      pages: () => listVersions(connection, place.target),
      shown: (version) => shownVersion(exchange.prefix, path, version),
    };
  });
}
