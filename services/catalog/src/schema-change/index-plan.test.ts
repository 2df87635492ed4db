import { describe, expect, it } from '@jest/globals';
import { columnType } from '../model/column-types.js';
import type { Annotations } from '../model/model.js';
import { blendHints, type HintSources, planIndexes, vainHints } from './index-plan.js';

const key = 'tag:example.org,2018:indexing-preferences';
const newCatalog: Annotations = { [key]: { btree: true, trgm: true, gin_array: true } };

function plan(typeName: string, levels: Partial<HintSources> = {}, leads = false): readonly string[] {
  const type = columnType(typeName);
  if (type === null) throw new Error(`no type ${typeName}`);
  const sources = { column: {}, table: {}, schema: {}, catalog: newCatalog, ...levels };
  return planIndexes({ name: 'c', type, leads }, blendHints(sources, ['example.org'])).map((index) =>
    index.kind === 'btree' ? `btree ${index.columns.join(',')}` : index.kind,
  );
}

describe('indexes of a new column', () => {
  it.each([
    ['int4', ['btree c']],
    ['text', ['btree c', 'trgm']],
    ['jsonb', ['btree c', 'trgm']],
    ['json', ['trgm']],
    ['markdown', ['trgm']],
    ['longtext', ['trgm']],
    ['color_rgb_hex', ['btree c', 'trgm']],
    ['text[]', ['btree c', 'gin_array']],
    ['int4[]', ['btree c', 'gin_array']],
    ['json[]', []],
    ['timestamptz', ['btree c']],
    ['rid', ['btree c']],
    ['rcb', ['btree c']],
  ])('%s by default: %j', (type, expected) => {
    expect(plan(type)).toEqual(expected);
  });

  it('has no btree of its own where a key or foreign key begins with it', () => {
    expect(plan('text', {}, true)).toEqual(['trgm']);
  });

  it('blends four levels, hint by hint (the example of the specification)', () => {
    const levels = { table: { [key]: { trgm: false } }, column: { [key]: { btree: false } } };
    expect(plan('text[]', levels)).toEqual(['gin_array']);
    expect(plan('text', levels)).toEqual([]);
  });

  it('has built-in defaults without any annotation', () => {
    expect(plan('text', { catalog: {} })).toEqual(['btree c', 'trgm']);
    expect(plan('text[]', { catalog: {} })).toEqual(['btree c']);
  });

  it('takes a list of columns in place of the default, even of a key column', () => {
    expect(plan('int4', { column: { [key]: { btree: ['c', 'd'] } } }, true)).toEqual(['btree c,d']);
    expect(() => plan('int4', { column: { [key]: { btree: ['c', 1] } } })).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });

  it('builds what is costly only when it is asked for nearby', () => {
    expect(plan('markdown', { table: { [key]: { btree: true } } })).toEqual(['btree c', 'trgm']);
    expect(plan('markdown', { schema: { [key]: { btree: true } } })).toEqual(['trgm']);
    expect(plan('int4', { column: { [key]: { trgm: true } } })).toEqual(['btree c', 'trgm']);
    expect(plan('int4', { schema: { [key]: { trgm: true } } })).toEqual(['btree c']);
  });

  it('says what it ignores', () => {
    const vain = (typeName: string, given: Partial<HintSources>) => {
      const type = columnType(typeName);
      if (type === null) throw new Error(`no type ${typeName}`);
      const sources = { column: {}, table: {}, schema: {}, catalog: newCatalog, ...given };
      return vainHints({ name: 'c', type, leads: false }, blendHints(sources, ['example.org']));
    };
    expect(vain('text', { table: { [key]: [] } })).toEqual([expect.stringContaining('annotation of the table')]);
    expect(vain('text', { schema: { [key]: { trgm: 'yes' } } })).toEqual([expect.stringContaining('trgm in the')]);
    expect(vain('date', { column: { [key]: { trgm: true } } })).toEqual([expect.stringContaining('type date')]);
    expect(vain('int4', { column: { [key]: { trgm: true, btree: ['c'] } } })).toEqual([]);
    expect(vain('date', { table: { [key]: { trgm: true } } })).toEqual([]);
  });

  it('reads the annotation under any authority, its own first', () => {
    const foreign = 'tag:a.example,2018:indexing-preferences';
    expect(plan('int4', { column: { [foreign]: { btree: false } } })).toEqual([]);
    expect(plan('int4', { column: { [foreign]: { btree: false }, [key]: { btree: true } } })).toEqual(['btree c']);
    expect(plan('int4', { column: { [key]: 'nonsense' } })).toEqual(['btree c']);
  });
});
