import { AppError, mediaTypeOf, readJson, sendBody, sendContinue, sendEmpty } from '@holdfast/http-kit';
import { inspectPut, type PutRequest } from '../directory/put-name.js';
import { renameObject } from '../directory/rename-object.js';
import { type CanonicalPath, shownVersion } from '../naming/canonical-path.js';
import { parseRenameRequest } from '../naming/rename-request.js';
import { admitChange } from './admit-change.js';
import { conditionsIn, type Exchange } from './exchange.js';

/** POST of a name: an object gets this name, and the old one leads to it (spec/objectstore.md 9). */
export async function postRename(exchange: Exchange, path: CanonicalPath): Promise<void> {
  const { request, response, parts, caller, signal, prefix } = exchange;
  const { settings, profile } = parts;
  admitChange(exchange, 'create');
  if (mediaTypeOf(request.get('content-type')) !== 'application/json')
    throw new AppError('bad_request', 'Send the command as a JSON object with Content-Type: application/json.');
  const put: PutRequest = {
    path,
    intent: { kind: 'object', parents: exchange.parents, onObject: 'rename-onto', revive: false },
    caller,
    conditions: conditionsIn(exchange),
    initialAcls: undefined,
  };
  await parts.database.withConnection(signal, (connection) => inspectPut(connection, put));
  sendContinue(request);
  const command = parseRenameRequest(await readJson(request, settings.maxJsonBytes), {
    prefixes: profile.objectStorePrefixes,
    limits: settings.urlLimits,
    versionsAlias: profile.renameVersionsAlias,
  });
  const made = await renameObject(parts.database, { put, command, quotas: settings.quotas }, signal);
  if (made.length === 0) return sendEmpty(response, 204);
  const locations = made.map((version) => shownVersion(prefix, path, version));
  if (locations.length === 1) response.setHeader('Location', locations[0] ?? '');
  sendBody(request, response, 201, 'text/uri-list', locations.map((location) => `${location}\n`).join(''));
}
