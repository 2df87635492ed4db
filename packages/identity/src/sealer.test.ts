import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SealError, sealer, sealingKeyIdOf, sealingKeysVariable } from './sealer.js';

const oldKey = { id: 'k1', key: randomBytes(32) };
const newKey = { id: 'k2', key: randomBytes(32) };

describe('a sealer', () => {
  it('opens what it sealed, for the same purpose only', () => {
    const box = sealer([oldKey]);
    const sealed = box.seal('top secret ü', 'export:1');
    expect(sealed).not.toContain('secret');
    expect(box.open(sealed, 'export:1')).toBe('top secret ü');
    expect(() => box.open(sealed, 'export:2')).toThrow(SealError);
  });

  it('seals the same text differently each time', () => {
    const box = sealer([oldKey]);
    expect(box.seal('x', 'a')).not.toBe(box.seal('x', 'a'));
  });

  it('opens with old keys during a rotation and seals with the new one', () => {
    const sealedBefore = sealer([oldKey]).seal('x', 'a');
    const rotated = sealer([newKey, oldKey]);
    expect(rotated.open(sealedBefore, 'a')).toBe('x');
    expect(sealingKeyIdOf(rotated.seal('x', 'a'))).toBe('k2');
    expect(() => sealer([newKey]).open(sealedBefore, 'a')).toThrow(SealError);
  });

  it('notices every changed byte and every cut', () => {
    const box = sealer([oldKey]);
    const sealed = box.seal('x', 'a');
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let index = 0; index < bytes.byteLength; index += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => box.open(`k1.${changed.toString('base64url')}`, 'a')).toThrow(SealError);
      expect(() => box.open(`k1.${bytes.subarray(0, index).toString('base64url')}`, 'a')).toThrow(SealError);
    }
    for (const text of ['', 'k1', 'k1.', '.x', 'nobody.AAAA']) expect(() => box.open(text, 'a')).toThrow(SealError);
  });

  it('reads its keys from a variable', () => {
    const text = `k2:${newKey.key.toString('base64')}, k1:${oldKey.key.toString('base64')}`;
    expect(sealingKeysVariable.parse(text)).toEqual([newKey, oldKey]);
    for (const wrong of ['', 'k1', 'k1:AAAA', `a b:${oldKey.key.toString('base64')}`])
      expect(sealingKeysVariable.safeParse(wrong).success).toBe(false);
    expect(() => sealer([])).toThrow(SealError);
  });
});
