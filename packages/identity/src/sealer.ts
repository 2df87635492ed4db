import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** A key of the sealer: 32 bytes under a name. */
export interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Keeps secrets that must lie in a database for a while (spec/identity.md 6.2). */
export interface Sealer {
  /**
   * Encrypts with the first key.
   * @param additionalData what the secret belongs to, for example `export:<id>`; {@link open} needs the same
   * @returns `<key id>.<base64url of nonce, tag and ciphertext>`
   */
  seal(plaintext: string, additionalData: string): string;
  /** @throws {SealError} when the key is unknown, or the text was changed or belongs to something else */
  open(sealed: string, additionalData: string): string;
}

/** Why something sealed cannot be opened. Holds no part of it. */
export class SealError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SealError';
  }
}

const KEY_ID = /^[A-Za-z0-9_-]{1,64}$/;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Variable form of sealing keys: `<key id>:<32 bytes in base64>`, separated by commas, the one to seal with first. */
export const sealingKeysVariable = z.string().transform((text, context): readonly SealingKey[] =>
  text.split(',').map((word) => {
    const [id = '', encoded = ''] = word.trim().split(':');
    const key = Buffer.from(encoded, 'base64');
    if (!KEY_ID.test(id) || key.byteLength !== KEY_BYTES)
      context.addIssue({ code: 'custom', message: 'must be <key id>:<32 bytes in base64>, several with commas' });
    return { id, key };
  }),
);

/**
 * AES-256-GCM with a random nonce per message.
 * @param keys the first seals; the others still open what was sealed before a rotation
 */
export function sealer(keys: readonly SealingKey[]): Sealer {
  const [current] = keys;
  if (current === undefined) throw new SealError('There is no key to seal with.');
  if (keys.some(({ id, key }) => !KEY_ID.test(id) || key.byteLength !== KEY_BYTES))
    throw new SealError(`A sealing key has ${KEY_BYTES} bytes and an id of letters, digits, _ and -.`);
  return {
    seal: (plaintext, additionalData) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(additionalData));
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return `${current.id}.${Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
    },
    open: (sealed, additionalData) => {
      const key = keys.find(({ id }) => id === sealingKeyIdOf(sealed));
      if (key === undefined) throw new SealError('The key that sealed this is not configured any more.');
      const bytes = Buffer.from(sealed.slice(key.id.length + 1), 'base64url');
      if (bytes.byteLength < NONCE_BYTES + TAG_BYTES) throw new SealError('What was sealed is cut short.');
      const decipher = createDecipheriv('aes-256-gcm', key.key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(additionalData))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const plaintext = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([plaintext, decipher.final()]).toString('utf8');
      } catch (error) {
        throw new SealError('What was sealed was changed, or belongs to something else.', { cause: error });
      }
    },
  };
}

/** The id of the key something was sealed with. */
export function sealingKeyIdOf(sealed: string): string {
  return sealed.slice(0, Math.max(sealed.indexOf('.'), 0));
}
