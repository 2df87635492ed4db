import type { StaticCredential } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import { type Sealer, sealingKeyIdOf } from '@holdfast/identity';
import { z } from 'zod';
import type { DelegationMode } from '../request/catalog-host.js';
import type { ExportRecord } from './export-record.js';
import type { ExportStore } from './export-store.js';
import type { SealedCredential } from './export-turns.js';

const staticCredential = z.union([z.strictObject({ bearer: z.string() }), z.strictObject({ cookie: z.string() })]);

const credentials = z.strictObject({
  internal: staticCredential.nullable(),
  forward: staticCredential.nullable(),
  session: z.strictObject({ baseUrl: z.string(), cookie: z.string() }).nullable(),
});

/** With what a worker acts as the caller, by the kind of server; null: as nobody. */
export interface ExportCredentials extends Readonly<Record<DelegationMode, StaticCredential | null>> {
  /** A session that was begun for this export alone and ends with it. */
  readonly session: LoginSession | null;
}

/** A session and where it was begun. */
export interface LoginSession {
  readonly baseUrl: string;
  readonly cookie: string;
}

const NOTHING: ExportCredentials = { internal: null, forward: null, session: null };

/** Seals credentials for the database (spec/identity.md 6.2). Null when there are none. */
export function sealCredentials(
  sealer: Sealer,
  exportId: string,
  held: ExportCredentials,
  seconds: number,
): SealedCredential | null {
  if (held.internal === null && held.forward === null) return null;
  const sealed = sealer.seal(JSON.stringify(held), additionalData(exportId));
  return { keyId: sealingKeyIdOf(sealed), sealed, expires: new Date(Date.now() + seconds * 1_000) };
}

/**
 * Opens the credentials of an export; none for one made by an anonymous client.
 * @throws {AppError} `auth_required` when they are gone: nothing is read anonymously instead (spec/identity.md 6.4)
 */
export async function openCredentials(
  store: ExportStore,
  sealer: Sealer,
  record: Pick<ExportRecord, 'id' | 'owner'>,
): Promise<ExportCredentials> {
  if (record.owner === null) return NOTHING;
  const stored = await store.credential(record.id);
  if (stored === null || stored.expires.getTime() < Date.now()) {
    throw new AppError(
      'auth_required',
      'The credential of this export has expired before it could run; ask for it again.',
    );
  }
  return credentials.parse(JSON.parse(sealer.open(stored.sealed, additionalData(record.id))));
}

function additionalData(exportId: string): string {
  return `export:${exportId}`;
}
