import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { constraintName } from './constraint-names.js';

describe('names of constraints', () => {
  it('are made of table, columns and kind', () => {
    expect(constraintName(new Set(), 'T1', ['id'], 'key')).toBe('T1_id_key');
    expect(constraintName(new Set(), 'T1', ['a', 'b'], 'fkey')).toBe('T1_a_b_fkey');
  });

  it('are numbered when taken', () => {
    expect(constraintName(new Set(['T1_id_key']), 'T1', ['id'], 'key')).toBe('T1_id_key1');
    expect(constraintName(new Set(['T1_id_key', 'T1_id_key1']), 'T1', ['id'], 'key')).toBe('T1_id_key2');
  });

  it('fit into 63 bytes, differ when what they stand for differs, and keep characters whole', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(name, fc.array(name, { minLength: 1, maxLength: 40 }), (table, columns) => {
        const made = constraintName(new Set(), table, columns, 'fkey');
        expect(Buffer.byteLength(made)).toBeLessThanOrEqual(63);
        expect(made.isWellFormed()).toBe(true);
        expect(constraintName(new Set([made]), table, columns, 'fkey')).not.toBe(made);
      }),
    );
    const long = 'x'.repeat(60);
    expect(constraintName(new Set(), long, ['a'], 'key')).not.toBe(constraintName(new Set(), long, ['b'], 'key'));
  });
});
