import { randomBytes } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** 128 random bits as 26 characters of base32, upper case, without padding (spec/objectstore.md 6.1). */
export function newVersionId(): string {
  let rest = BigInt(`0x${randomBytes(16).toString('hex')}`) << 2n;
  let text = '';
  for (let count = 0; count < 26; count += 1) {
    text = (BASE32[Number(rest & 31n)] ?? '') + text;
    rest >>= 5n;
  }
  return text;
}
