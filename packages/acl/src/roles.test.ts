import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dedupe, parseAccessList } from './access-list.js';
import { deny } from './denial.js';
import { AclError } from './errors.js';
import { ANONYMOUS_ROLES, grants, isAnonymous, ownerListGrants, rolesOf } from './roles.js';

describe('rolesOf', () => {
  it('holds the wildcard, the own id, other identities and the ids of attributes', () => {
    const roles = rolesOf({ id: 'alice', identities: ['idp/4711'] }, [{ id: 'g1' }, { id: 'g2' }]);
    expect([...roles].sort()).toEqual(['*', 'alice', 'g1', 'g2', 'idp/4711']);
    expect(isAnonymous(roles)).toBe(false);
  });

  it('gives an anonymous client the wildcard and nothing else', () => {
    expect([...rolesOf(null, [{ id: 'g1' }])]).toEqual(['*']);
    expect(isAnonymous(ANONYMOUS_ROLES)).toBe(true);
  });

  it('refuses a client whose id no list could hold, the wildcard above all', () => {
    for (const id of ['*', '', 'a\u0000b', 'x'.repeat(1025), '\ud800']) {
      expect(() => rolesOf({ id })).toThrow(AclError);
    }
  });

  it('leaves out attributes that no list could hold', () => {
    expect([...rolesOf({ id: 'alice' }, [{ id: '' }, { id: 'a\nb' }, { id: 'g1' }])]).toEqual(['*', 'alice', 'g1']);
  });
});

describe('grants', () => {
  const alice = rolesOf({ id: 'alice' }, [{ id: 'g1' }]);

  it('compares exactly', () => {
    expect(grants(['g1'], alice)).toBe(true);
    expect(grants(['G1'], alice)).toBe(false);
    expect(grants(['g1 '], alice)).toBe(false);
    expect(grants([], alice)).toBe(false);
  });

  it('lets everybody in through the wildcard, anonymous clients too', () => {
    expect(grants(['*'], alice)).toBe(true);
    expect(grants(['*'], ANONYMOUS_ROLES)).toBe(true);
  });

  it('ignores the wildcard in owner lists of the registry', () => {
    expect(ownerListGrants(['*'], alice)).toBe(false);
    expect(ownerListGrants(['*', 'g1'], alice)).toBe(true);
  });

  it('never loses a client when a list grows', () => {
    const name = fc.string({ minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(name), name, (list, more) => {
        expect(grants([...list, more], alice)).toBe(grants(list, alice) || grants([more], alice));
      }),
    );
  });
});

describe('parseAccessList', () => {
  const faulty: readonly (readonly [string, unknown, string])[] = [
    ['null', null, ''],
    ['a string', 'alice', ''],
    ['an object', { 0: 'alice' }, ''],
    ['a number inside', ['alice', 1], '/1'],
    ['an empty member', ['', 'alice'], '/0'],
    ['a control character', ['a\u007fb'], '/0'],
    ['a line feed', ['alice\n'], '/0'],
    ['half a surrogate pair', ['\udc00'], '/0'],
    ['513 two-byte letters', ['é'.repeat(513)], '/0'],
    ['1001 members', Array.from({ length: 1001 }, (_, i) => `r${i}`), ''],
  ];
  it.each(faulty)('refuses %s and points at it', (_name, json, pointer) => {
    expect(() => parseAccessList(json, { pointer: '/owner' })).toThrow(
      expect.objectContaining({ code: 'bad_list', pointer: `/owner${pointer}` }),
    );
  });

  it('keeps order and duplicates, up to the limits', () => {
    expect(parseAccessList(['b', 'a', 'b', '*'])).toEqual(['b', 'a', 'b', '*']);
    expect(parseAccessList(['é'.repeat(512)])).toHaveLength(1);
    expect(parseAccessList(Array.from({ length: 1000 }, (_, i) => `r${i}`))).toHaveLength(1000);
  });

  it('drops repeated members where asked, the first stays', () => {
    expect(dedupe(['b', 'a', 'b', 'c', 'a'])).toEqual(['b', 'a', 'c']);
  });
});

describe('deny', () => {
  it('asks the anonymous who they are and refuses the others', () => {
    expect(deny(null)).toBe('auth_required');
    expect(deny({ id: 'alice' })).toBe('forbidden');
  });
});
