import { describe, expect, it } from '@jest/globals';
import { hashPassword, passwordFits } from './passwords.js';

describe('a password hash', () => {
  it('fits its password only, in any Unicode form', async () => {
    const hash = await hashPassword('caf\u00e9');
    expect(hash).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
    expect(await passwordFits('cafe\u0301', hash)).toBe(true);
    expect(await passwordFits('cafe', hash)).toBe(false);
  });

  it('is salted', async () => {
    expect(await hashPassword('x')).not.toBe(await hashPassword('x'));
  });

  it('of nobody fits nothing', async () => {
    expect(await passwordFits('', null)).toBe(false);
  });
});
