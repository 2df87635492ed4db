import { createHash } from 'node:crypto';

/** SHA-256 of a credential: what stands for it in tables, caches and logs. */
export function credentialHash(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}
