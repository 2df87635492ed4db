import { rolesOf } from '@holdfast/acl';
import { describe, expect, it } from '@jest/globals';
import { knownRights } from './known-rights.js';

describe('evaluators of rights', () => {
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((id) => rolesOf({ id }));

  it('are kept for the clients that came last, and never shared', () => {
    const rightsOf = knownRights(2);
    if (alice === undefined || bob === undefined || carol === undefined) throw new Error('There are three clients.');
    const first = rightsOf(alice);
    expect(first.roles).toBe(alice);
    expect(rightsOf(bob).roles).toBe(bob);
    expect(rightsOf(alice)).toBe(first);
    const second = rightsOf(bob);
    rightsOf(alice);
    rightsOf(carol);
    expect(rightsOf(alice)).toBe(first);
    expect(rightsOf(bob)).not.toBe(second);
  });
});
