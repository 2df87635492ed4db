import { hash } from 'node:crypto';

/** SHA-256 of a credential: what stands for it in tables, caches and logs. */
export function credentialHash(credential: string): Buffer {
  return hash('sha256', credential, 'buffer');
}
