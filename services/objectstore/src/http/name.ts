import { sendEmpty } from '@holdfast/http-kit';
import { deleteName } from '../directory/delete-name.js';
import { findDefined } from '../directory/find-place.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import { admitChange } from './admit-change.js';
import { conditionsIn, type Exchange } from './exchange.js';
import { contentAt } from './find-readable.js';
import { getNamespace } from './get-namespace.js';
import { postRename } from './post-rename.js';
import { putName } from './put-name.js';
import { sendContent } from './send-content.js';

/** `name`: a namespace or an object, which look alike in the URL (spec/objectstore.md 5, 6). */
export async function handleName(exchange: Exchange, path: CanonicalPath): Promise<void> {
  switch (exchange.method) {
    case 'PUT':
      return putName(exchange, path);
    case 'POST':
      return postRename(exchange, path);
    case 'DELETE':
      return removeName(exchange, path);
    default:
      return getName(exchange, path);
  }
}

async function getName(exchange: Exchange, path: CanonicalPath): Promise<void> {
  const { parts, caller, signal } = exchange;
  const content = await parts.database.withConnection(signal, async (connection) => {
    const place = await findDefined(connection, path);
    return place.target.kind === 'object' ? contentAt(connection, place, null, caller) : null;
  });
  return content === null ? getNamespace(exchange, path) : sendContent(exchange, content);
}

async function removeName(exchange: Exchange, path: CanonicalPath): Promise<void> {
  const { parts, caller, response, signal } = exchange;
  admitChange(exchange, 'delete');
  await deleteName(
    parts.database,
    {
      path,
      caller,
      conditions: conditionsIn(exchange),
      nonEmpty: parts.profile.deleteNonEmptyNamespace,
      mostNames: parts.settings.maxBulkDelete,
    },
    signal,
  );
  sendEmpty(response, 204);
}
