import { sendEmpty } from '@holdfast/http-kit';
import { deleteVersion } from '../directory/delete-version.js';
import { findDefined } from '../directory/find-place.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import { admitChange } from './admit-change.js';
import { conditionsIn, type Exchange } from './exchange.js';
import { contentAt } from './find-readable.js';
import { sendContent } from './send-content.js';

/** `name:version`: one version of an object, which never changes. */
export async function handleVersion(exchange: Exchange, path: CanonicalPath, version: string): Promise<void> {
  const { parts, caller, method, response, signal } = exchange;
  if (method !== 'DELETE') {
    const content = await parts.database.withConnection(signal, async (connection) =>
      contentAt(connection, await findDefined(connection, path), version, caller),
    );
    return sendContent(exchange, content);
  }
  admitChange(exchange, 'delete');
  await deleteVersion(parts.database, { path, version, caller, conditions: conditionsIn(exchange) }, signal);
  sendEmpty(response, 204);
}
