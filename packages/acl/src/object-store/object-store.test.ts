import { describe, expect, it } from '@jest/globals';
import { ANONYMOUS_ROLES, rolesOf } from '../roles.js';
import { firewallGrants, firewallOf } from './firewall.js';
import {
  type ListHolder,
  mayDeleteObject,
  OBJECT_STORE_GRANTS,
  type ObjectStoreOperation,
  objectStoreGrants,
  uniteLists,
  visibleJobs,
} from './grant-table.js';
import { initialLists, parseInitialLists } from './initial-lists.js';
import { changeList } from './list-changes.js';
import { completeLists, MODES_OF_KIND, type Mode } from './modes.js';

const bob = rolesOf({ id: 'bob' });
const HOLDERS: readonly ListHolder[] = ['namespace', 'object', 'version', 'job', 'ancestors'];
const MODES = MODES_OF_KIND.namespace.concat('update');

/** spec/objectstore.md 4.3, written once more by hand: N O V J own lists, A union of the ancestors'. */
const EXPECTED: Readonly<Record<ObjectStoreOperation, string>> = {
  'list-namespace': 'N.owner N.read A.subtree-owner A.subtree-read',
  'create-child': 'N.owner N.create N.subtree-create A.subtree-owner A.subtree-create',
  'delete-namespace': 'N.owner A.subtree-owner',
  'delete-root': '',
  'read-namespace-acl': 'N.owner A.subtree-owner',
  'change-namespace-acl': 'N.owner A.subtree-owner',
  'add-version': 'O.owner O.update A.subtree-owner A.subtree-update',
  'create-job': 'O.owner O.update A.subtree-owner A.subtree-update',
  'list-versions': 'O.owner O.read A.subtree-owner A.subtree-read',
  'read-version': 'V.owner V.read O.subtree-owner O.subtree-read A.subtree-owner A.subtree-read',
  'change-metadata': 'V.owner O.subtree-owner A.subtree-owner',
  'delete-version': 'V.owner O.subtree-owner A.subtree-owner',
  'read-version-acl': 'V.owner O.subtree-owner A.subtree-owner',
  'change-version-acl': 'V.owner O.subtree-owner A.subtree-owner',
  'read-object-acl': 'O.owner A.subtree-owner',
  'change-object-acl': 'O.owner A.subtree-owner',
  'delete-object': 'O.owner A.subtree-owner',
  'rename-from': 'O.owner A.subtree-owner',
  'rename-onto': 'O.owner A.subtree-owner',
  'list-all-jobs': 'O.owner A.subtree-owner',
  'list-own-jobs': 'O.update A.subtree-update',
  'read-job': 'J.owner O.owner A.subtree-owner',
  'send-chunk': 'J.owner',
  'finalize-job': 'J.owner',
  'cancel-job': 'J.owner O.owner A.subtree-owner',
};
const LETTER: Readonly<Record<ListHolder, string>> = {
  namespace: 'N',
  object: 'O',
  version: 'V',
  job: 'J',
  ancestors: 'A',
};

describe('grant table', () => {
  it.each(Object.keys(EXPECTED) as readonly ObjectStoreOperation[])(
    '%s: exactly the lists of the specification',
    (op) => {
      const granting: string[] = [];
      for (const holder of HOLDERS) {
        for (const mode of new Set<Mode>(MODES)) {
          if (objectStoreGrants(op, { [holder]: { [mode]: ['bob'] } }, bob)) granting.push(`${LETTER[holder]}.${mode}`);
        }
      }
      expect(granting.sort()).toEqual(EXPECTED[op].split(' ').filter(Boolean).sort());
      expect(OBJECT_STORE_GRANTS[op]).toHaveLength(granting.length);
    },
  );

  it('needs every version for the deletion of an object', () => {
    const object = { owner: ['bob'] };
    expect(mayDeleteObject({ object }, [], bob)).toBe(true);
    expect(mayDeleteObject({ object }, [{ owner: ['bob'] }, { owner: ['carol'] }], bob)).toBe(false);
    expect(mayDeleteObject({ object: { ...object, 'subtree-owner': ['bob'] } }, [{ owner: ['carol'] }], bob)).toBe(
      true,
    );
    expect(mayDeleteObject({ object: { 'subtree-owner': ['bob'] } }, [{ owner: ['bob'] }], bob)).toBe(false);
  });

  it('shows all jobs to owners and the own ones to writers', () => {
    expect(visibleJobs({ object: { owner: ['bob'] } }, bob)).toBe('all');
    expect(visibleJobs({ object: { update: ['bob'] } }, bob)).toBe('own');
    expect(visibleJobs({ ancestors: { 'subtree-update': ['*'] } }, ANONYMOUS_ROLES)).toBe('own');
    expect(visibleJobs({ object: { read: ['bob'] } }, bob)).toBe('none');
  });

  it('unites the subtree lists of the namespaces above, and only these', () => {
    expect(
      uniteLists([
        { owner: ['root'], 'subtree-read': ['a', 'b'] },
        { 'subtree-read': ['b', 'c'], 'subtree-owner': ['d'], read: ['e'] },
      ]),
    ).toEqual({ 'subtree-read': ['a', 'b', 'c'], 'subtree-owner': ['d'] });
  });
});

describe('firewall', () => {
  const lists = { create: ['bob'], delete: [], manage_acls: ['*'], manage_metadata: ['carol'] };
  it('stands in front of changes, not of chunks, cancelling or reading', () => {
    expect(firewallGrants('create-child', lists, bob)).toBe(true);
    expect(firewallGrants('finalize-job', lists, ANONYMOUS_ROLES)).toBe(false);
    expect(firewallGrants('delete-version', lists, bob)).toBe(false);
    expect(firewallGrants('change-object-acl', lists, ANONYMOUS_ROLES)).toBe(true);
    expect(firewallGrants('change-metadata', lists, bob)).toBe(false);
    const free = (Object.keys(EXPECTED) as readonly ObjectStoreOperation[]).filter((op) => firewallOf(op) === null);
    expect(free.sort()).toEqual(
      [
        'cancel-job',
        'list-all-jobs',
        'list-namespace',
        'list-own-jobs',
        'list-versions',
        'read-job',
        'read-namespace-acl',
        'read-object-acl',
        'read-version',
        'read-version-acl',
        'send-chunk',
      ].sort(),
    );
  });
});

describe('initial lists', () => {
  const parent = { owner: ['admin', 'g1'], create: ['*'] };
  it('belong to the creator; nothing is copied from the parent', () => {
    expect(initialLists({ kind: 'namespace', parent }, 'bob')).toEqual({ owner: ['bob'] });
    expect(initialLists({ kind: 'object', parent, given: { read: ['*'] } }, 'bob')).toEqual({
      owner: ['bob'],
      read: ['*'],
    });
    expect(initialLists({ kind: 'object', parent, given: { owner: ['g1'] } }, 'bob')).toEqual({ owner: ['g1'] });
    expect(initialLists({ kind: 'job' }, 'bob')).toEqual({ owner: ['bob'] });
  });

  it('of a first version come from its object, of a later one from its writer', () => {
    const object = { owner: ['alice'], read: ['g1'], update: ['bob'] };
    expect(initialLists({ kind: 'first-version', object }, 'bob')).toEqual({ owner: ['alice'], read: ['g1'] });
    expect(initialLists({ kind: 'later-version', object }, 'bob')).toEqual({ owner: ['bob'], read: [] });
  });

  it('pass to the owners of the parent when nobody is known', () => {
    expect(initialLists({ kind: 'object', parent }, null)).toEqual({ owner: ['admin', 'g1'] });
    expect(initialLists({ kind: 'later-version', object: { owner: ['alice'] } }, null).owner).toEqual(['alice']);
    expect(() => initialLists({ kind: 'job' }, null)).toThrow(expect.objectContaining({ code: 'no_owner_known' }));
  });

  it('given by the client are checked', () => {
    expect(parseInitialLists('object', { owner: ['a', 'b', 'a'], 'subtree-read': ['*'] })).toEqual({
      owner: ['a', 'b'],
      'subtree-read': ['*'],
    });
    const faults: readonly (readonly [unknown, string])[] = [
      [{ create: [] }, 'unsupported_name'],
      [{ owner: [] }, 'would_orphan'],
      [{ read: 'bob' }, 'bad_list'],
      [{ read: [''] }, 'bad_list'],
      [['bob'], 'bad_set'],
      [null, 'bad_set'],
    ];
    for (const [json, code] of faults) {
      expect(() => parseInitialLists('object', json)).toThrow(expect.objectContaining({ code }));
    }
  });
});

describe('changes of a list', () => {
  it('add once, remove what is there, replace without repeats', () => {
    expect(changeList('read', ['a'], { kind: 'add', entry: 'b' })).toEqual(['a', 'b']);
    expect(changeList('read', ['a', 'b'], { kind: 'add', entry: 'a' })).toEqual(['a', 'b']);
    expect(changeList('read', ['a', 'b'], { kind: 'remove', entry: 'a' })).toEqual(['b']);
    expect(changeList('read', ['a'], { kind: 'replace', list: ['c', 'b', 'c'] })).toEqual(['c', 'b']);
    expect(changeList('read', ['a'], { kind: 'clear' })).toEqual([]);
    expect(() => changeList('read', ['a'], { kind: 'remove', entry: 'z' })).toThrow(
      expect.objectContaining({ code: 'not_in_list' }),
    );
    expect(() => changeList('read', [], { kind: 'add', entry: 'x'.repeat(1025) })).toThrow(
      expect.objectContaining({ code: 'bad_list' }),
    );
    const full = Array.from({ length: 1000 }, (_, i) => `r${i}`);
    expect(() => changeList('read', full, { kind: 'add', entry: 'one more' })).toThrow(
      expect.objectContaining({ code: 'bad_list' }),
    );
  });

  it('never leave a resource without an owner, unless the switch allows it', () => {
    for (const change of [{ kind: 'clear' }, { kind: 'replace', list: [] }, { kind: 'remove', entry: 'a' }] as const) {
      expect(() => changeList('owner', ['a'], change)).toThrow(expect.objectContaining({ code: 'would_orphan' }));
      expect(changeList('owner', ['a'], change, { allowOrphan: true })).toEqual([]);
    }
    expect(changeList('owner', ['a', 'b'], { kind: 'remove', entry: 'a' })).toEqual(['b']);
    expect(changeList('owner', ['a'], { kind: 'replace', list: ['*'] })).toEqual(['*']);
  });
});

describe('completeLists', () => {
  it('shows every mode of the kind, and no other', () => {
    expect(completeLists('version', { owner: ['a'], update: ['b'] })).toEqual({ owner: ['a'], read: [] });
  });
});
