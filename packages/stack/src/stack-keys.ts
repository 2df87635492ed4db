import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StackError } from './stack-error.js';

const privateJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
});

const keysDocument = z.object({
  /** Signs the export service's own tokens (`urn:service:export`). */
  exportServiceKey: privateJwk,
  /** Seals the users' credentials in export jobs: `<key id>:<32 bytes in base64>`. */
  credentialKey: z.string().regex(/^[^:]+:[A-Za-z0-9+/]{43}=$/),
});

/** The secrets of a stack. They are made once and stay with its data. */
export type StackKeys = z.output<typeof keysDocument>;

/** Reads `keys.json` of the data directory (0600), or makes it with new keys. */
export function loadOrCreateKeys(dataDir: string): StackKeys {
  const file = join(dataDir, 'keys.json');
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, `${JSON.stringify(createKeys(), null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  try {
    return keysDocument.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new StackError(
      `${file} is damaged. Put a copy back, or delete it to get new keys (running exports are lost then).`,
    );
  }
}

/** The key set with which services check each other's tokens. */
export function publicKeySet(keys: StackKeys): { readonly keys: readonly object[] } {
  const { kty, crv, x, kid, alg, use } = keys.exportServiceKey;
  return { keys: [{ kty, crv, x, kid, alg, use }] };
}

function createKeys(): StackKeys {
  const { privateKey } = generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' });
  return keysDocument.parse({
    exportServiceKey: { ...jwk, kid: randomUUID(), alg: 'EdDSA', use: 'sig' },
    credentialKey: `${randomUUID()}:${randomBytes(32).toString('base64')}`,
  });
}
