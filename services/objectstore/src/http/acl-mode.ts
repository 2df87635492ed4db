import { parseAccessList } from '@holdfast/acl';
import { AppError, mediaTypeOf, readJson, sendEmpty, sendJson } from '@holdfast/http-kit';
import {
  type AclAddress,
  type AclRequest,
  changeAcl,
  inspectAcl,
  listTagOf,
  readList,
} from '../directory/access-lists.js';
import { refusingAcls } from '../directory/acl-refusal.js';
import { admitChange } from './admit-change.js';
import { conditionsIn, type Exchange } from './exchange.js';
import { warnOfPublicOwner } from './public-owner.js';
import { answeredByPreconditions, refuseRange } from './read-answer.js';

/** `;acl/<mode>`: one list (spec/objectstore.md 8). */
export async function handleAclMode(exchange: Exchange, address: AclAddress, mode: string): Promise<void> {
  if (exchange.method === 'GET' || exchange.method === 'HEAD') return getList(exchange, address, mode);
  const { parts, caller, signal } = exchange;
  admitChange(exchange, 'manage_acls');
  const change: AclRequest = {
    ...address,
    mode,
    caller,
    conditions: conditionsIn(exchange),
    entry: null,
    rules: parts.profile,
  };
  if (exchange.method === 'PUT') await putList(exchange, change);
  else await changeAcl(parts.database, change, { kind: 'clear' }, signal);
  sendEmpty(exchange.response, 204);
}

async function getList(exchange: Exchange, address: AclAddress, mode: string): Promise<void> {
  const { parts, caller, signal } = exchange;
  const list = await parts.database.withConnection(signal, (connection) =>
    readList(connection, address, mode, caller, parts.profile),
  );
  if (answeredByPreconditions(exchange, listTagOf(list), 'fixed')) return;
  refuseRange(exchange);
  sendJson(exchange.request, exchange.response, 200, list);
}

async function putList(exchange: Exchange, change: AclRequest): Promise<void> {
  const { request, parts, signal } = exchange;
  if (mediaTypeOf(request.get('content-type')) !== 'application/json')
    throw new AppError('bad_request', 'Send the list as a JSON array with Content-Type: application/json.');
  await parts.database.withConnection(signal, (connection) => inspectAcl(connection, change));
  const json = await readJson(request, parts.settings.maxJsonBytes);
  const list = refusingAcls(() => parseAccessList(json));
  warnOfPublicOwner(exchange, change.mode, await changeAcl(parts.database, change, { kind: 'replace', list }, signal));
}
