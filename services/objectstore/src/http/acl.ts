import { completeLists } from '@holdfast/acl';
import { sendJson } from '@holdfast/http-kit';
import { type AclAddress, allListsTag, readLists } from '../directory/access-lists.js';
import type { Exchange } from './exchange.js';
import { answeredByPreconditions, refuseRange } from './read-answer.js';

/** `;acl`: all lists of a resource, empty ones too (spec/objectstore.md 8.1). */
export async function handleAcl(exchange: Exchange, address: AclAddress): Promise<void> {
  const { parts, caller, signal } = exchange;
  const holder = await parts.database.withConnection(signal, (connection) => readLists(connection, address, caller));
  if (answeredByPreconditions(exchange, allListsTag(holder), 'fixed')) return;
  refuseRange(exchange);
  sendJson(exchange.request, exchange.response, 200, completeLists(holder.kind, holder.lists));
}
