import type { StaticCredential } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import { type ClientContext, type Sealer, type ServiceSigner, sealingKeyIdOf } from '@holdfast/identity';
import type { ExportRecord } from './export-record.js';
import type { ExportStore, SealedCredential } from './export-store.js';

/** Services that a delegated token is good for. */
const AUDIENCES = ['urn:service:catalog', 'urn:service:objectstore'];

/** What sealing needs. */
export interface DelegationParts {
  readonly signer: ServiceSigner;
  readonly sealer: Sealer;
  /** Life of the delegated token. */
  readonly seconds: number;
}

/**
 * A read-only token by which the worker acts as the caller, sealed for the database (spec/identity.md 6). Null for an anonymous
 * caller.
 */
export async function sealCredential(
  parts: DelegationParts,
  context: ClientContext,
  exportId: string,
): Promise<SealedCredential | null> {
  if (context.client === null) return null;
  const { signer, sealer, seconds } = parts;
  const token = await signer.delegate({ context, exportId, audiences: AUDIENCES, seconds });
  const sealed = sealer.seal(token, additionalData(exportId));
  return { keyId: sealingKeyIdOf(sealed), sealed, expires: new Date(Date.now() + seconds * 1_000) };
}

/**
 * Opens the credential of an export; null for one made by an anonymous client.
 * @throws {AppError} `auth_required` when it is gone: nothing is read anonymously instead (spec/identity.md 6.4)
 */
export async function openCredential(
  store: ExportStore,
  sealer: Sealer,
  record: ExportRecord,
): Promise<StaticCredential | null> {
  if (record.owner === null) return null;
  const stored = await store.credential(record.id);
  if (stored === null || stored.expires.getTime() < Date.now()) {
    throw new AppError(
      'auth_required',
      'The credential of this export has expired before it could run; ask for it again.',
    );
  }
  return { bearer: sealer.open(stored.sealed, additionalData(record.id)) };
}

function additionalData(exportId: string): string {
  return `export:${exportId}`;
}
