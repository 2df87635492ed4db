import { AppError, readBody, sendEmpty } from '@holdfast/http-kit';
import {
  type AclAddress,
  type AclRequest,
  changeAcl,
  inspectAcl,
  listTagOf,
  readList,
} from '../directory/access-lists.js';
import { admitChange } from './admit-change.js';
import { conditionsIn, type Exchange } from './exchange.js';
import { warnOfPublicOwner } from './public-owner.js';
import { answeredByPreconditions, refuseRange } from './read-answer.js';
import { sendValue } from './send-value.js';

/** `;acl/<mode>/<entry>`: one role in a list (spec/objectstore.md 8). */
export async function handleAclEntry(
  exchange: Exchange,
  address: AclAddress,
  mode: string,
  entry: string,
): Promise<void> {
  if (exchange.method === 'GET' || exchange.method === 'HEAD') return getEntry(exchange, address, mode, entry);
  const { parts, caller, request, signal } = exchange;
  admitChange(exchange, 'manage_acls');
  const change: AclRequest = {
    ...address,
    mode,
    caller,
    conditions: conditionsIn(exchange),
    entry,
    rules: parts.profile,
  };
  if (exchange.method === 'PUT') {
    await parts.database.withConnection(signal, (connection) => inspectAcl(connection, change));
    // the body means nothing
    await readBody(request, parts.settings.maxJsonBytes);
    warnOfPublicOwner(exchange, mode, await changeAcl(parts.database, change, { kind: 'add', entry }, signal));
  } else await changeAcl(parts.database, change, { kind: 'remove', entry }, signal);
  sendEmpty(exchange.response, 204);
}

async function getEntry(exchange: Exchange, address: AclAddress, mode: string, entry: string): Promise<void> {
  const { parts, caller, signal } = exchange;
  const list = await parts.database.withConnection(signal, (connection) =>
    readList(connection, address, mode, caller, parts.profile),
  );
  if (!list.includes(entry)) throw new AppError('not_found', 'The list has no such entry.');
  if (answeredByPreconditions(exchange, listTagOf(list), 'fixed')) return;
  refuseRange(exchange);
  sendValue(exchange, entry);
}
