import { describe, expect, it } from '@jest/globals';
import type { ElementKind } from './acl-names.js';
import { ACL_NAMES, NAMES_OF_KIND } from './acl-names.js';
import { initialAcls, parseAcl, parseAclSet, withAcl } from './acl-set.js';

const SUPPORTED: Readonly<Record<ElementKind, string>> = {
  catalog: 'owner create enumerate select insert update delete write',
  schema: 'owner create enumerate select insert update delete write',
  table: 'owner enumerate select insert update delete write',
  column: 'enumerate select insert update write',
  foreign_key: 'enumerate insert update write',
  key: '',
};
const WILDCARD_UNDER: Readonly<Record<ElementKind, string>> = {
  catalog: 'enumerate select',
  schema: 'enumerate select',
  table: 'enumerate select',
  column: 'enumerate select',
  foreign_key: 'enumerate insert update write',
  key: '',
};
const KINDS = Object.keys(NAMES_OF_KIND) as readonly ElementKind[];
const everyName = KINDS.flatMap((kind) => [...ACL_NAMES, 'bogus', 'toString'].map((name) => [kind, name] as const));

describe('ACL names per kind of element', () => {
  it.each(everyName)('%s %s', (kind, name) => {
    const supported = SUPPORTED[kind].split(' ').includes(name);
    const wild = WILDCARD_UNDER[kind].split(' ').includes(name);
    if (!supported) {
      expect(() => parseAcl(kind, name, ['alice'])).toThrow(expect.objectContaining({ code: 'unsupported_name' }));
      return;
    }
    expect(parseAcl(kind, name, ['alice'])).toEqual(['alice']);
    if (wild) expect(parseAcl(kind, name, ['*'])).toEqual(['*']);
    else {
      expect(() => parseAcl(kind, name, ['alice', '*'])).toThrow(
        expect.objectContaining({ code: 'wildcard_not_allowed', pointer: '/1' }),
      );
    }
  });
});

describe('parseAclSet', () => {
  it('tells unset from empty, and sets every name of a catalog', () => {
    expect(parseAclSet('table', { owner: ['alice'], select: null, update: [] })).toEqual({
      owner: ['alice'],
      update: [],
    });
    expect(parseAclSet('catalog', { owner: ['alice'], select: null })).toEqual({
      owner: ['alice'],
      create: [],
      enumerate: [],
      select: [],
      insert: [],
      update: [],
      delete: [],
      write: [],
    });
  });

  it('points at what is wrong', () => {
    expect(() => parseAclSet('table', { 'a/b': [] })).toThrow(
      expect.objectContaining({ code: 'unsupported_name', pointer: '/a~1b' }),
    );
    expect(() => parseAclSet('table', { select: ['a', 7] }, { pointer: '/acls' })).toThrow(
      expect.objectContaining({ code: 'bad_list', pointer: '/acls/select/1' }),
    );
    expect(() => parseAclSet('table', { select: 'alice' })).toThrow(expect.objectContaining({ code: 'bad_list' }));
    for (const json of [[], null, 'x', 1]) {
      expect(() => parseAclSet('table', json)).toThrow(expect.objectContaining({ code: 'bad_set' }));
    }
  });

  it('is not fooled by names that every object has', () => {
    expect(() => parseAclSet('table', JSON.parse('{"__proto__":["alice"]}'))).toThrow(
      expect.objectContaining({ code: 'unsupported_name' }),
    );
  });
});

describe('withAcl', () => {
  it('unsets a list, except on a catalog, where it becomes empty', () => {
    expect(withAcl('table', { owner: ['a'], select: ['b'] }, 'select', undefined)).toEqual({ owner: ['a'] });
    expect(withAcl('catalog', { owner: ['a'], select: ['b'] }, 'select', undefined)).toEqual({
      owner: ['a'],
      select: [],
    });
  });
});

describe('initialAcls', () => {
  const clientId = 'bob';
  it('makes the creator of a catalog its owner unless it names others', () => {
    const lists = initialAcls('catalog', { clientId, ownsParent: false });
    expect(lists.owner).toEqual(['bob']);
    expect(Object.entries(lists).filter(([name, list]) => name !== 'owner' && list.length === 0)).toHaveLength(7);
    expect(initialAcls('catalog', { clientId, ownsParent: false, input: { owner: ['g1'] } }).owner).toEqual(['g1']);
  });

  it('adds an owner list to a schema or table only for who does not own it by inheritance', () => {
    for (const kind of ['schema', 'table'] as const) {
      expect(initialAcls(kind, { clientId, ownsParent: true })).toEqual({});
      expect(initialAcls(kind, { clientId, ownsParent: false, input: { select: ['*'] } })).toEqual({
        owner: ['bob'],
        select: ['*'],
      });
      expect(initialAcls(kind, { clientId, ownsParent: false, input: { owner: ['carol'] } })).toEqual({
        owner: ['carol'],
      });
    }
  });

  it('takes the lists of a column as they are and opens a foreign key that has none', () => {
    expect(initialAcls('column', { clientId, ownsParent: false, input: { select: [] } })).toEqual({ select: [] });
    expect(initialAcls('foreign_key', { clientId, ownsParent: true, input: { insert: [] } })).toEqual({
      insert: [],
      update: ['*'],
    });
  });
});
