import { grants } from '@holdfast/acl';
import { AppError, denied } from '@holdfast/http-kit';
import type { ClientContext } from '@holdfast/identity';
import type { ExportRecord } from '../job/export-record.js';
import type { ExportStore } from '../job/export-store.js';

/**
 * The export a client wants to see (spec/export.md 9.3).
 * @throws {AppError} `not_found`, `auth_required`, `forbidden`
 */
export async function readableExport(store: ExportStore, id: string, client: ClientContext): Promise<ExportRecord> {
  const record = await knownExport(store, id);
  if (grants(record.readers, client.roles)) return record;
  throw denied(client.client === null, 'Only who made an export may read it.');
}

/**
 * The export a client wants to end: its maker's, or any for administrators.
 * @throws {AppError} `not_found`, `auth_required`, `forbidden`
 */
export async function ownExport(
  store: ExportStore,
  id: string,
  client: ClientContext,
  adminReaders: readonly string[],
): Promise<ExportRecord> {
  const record = await knownExport(store, id);
  const owners = record.owner === null ? adminReaders : [record.owner, ...adminReaders];
  if (client.client !== null && grants(owners, client.roles)) return record;
  throw denied(client.client === null, 'Only who made an export may cancel or discard it.');
}

async function knownExport(store: ExportStore, id: string): Promise<ExportRecord> {
  const record = await store.find(id);
  if (record !== null) return record;
  throw new AppError('not_found', 'There is no such export; results are kept for a limited time only.');
}
