import { hash } from 'node:crypto';

/**
 * A strong entity tag over the parts that make a representation what it is.
 * @returns the quoted tag: 22 characters of base64url(SHA-256) between quotes (spec/objectstore.md 3.3)
 */
export function entityTag(...parts: readonly string[]): string {
  const text = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}
