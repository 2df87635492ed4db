import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANONYMOUS_ROLES, type Roles, rolesOf } from '../roles.js';
import { ACL_NAMES, type AclName, NAMES_OF_KIND } from './acl-names.js';
import type { AclSet } from './acl-set.js';
import type { BindingSet } from './bindings.js';
import type {
  AclElement,
  CatalogElement,
  ColumnElement,
  ForeignKeyElement,
  KeyElement,
  SchemaElement,
  SystemColumn,
  TableElement,
  TableVetoes,
} from './elements.js';
import { keepsOwnership, type Right, rightsEvaluator, systemColumnInsert } from './rights.js';
import { columnRights, containerRights, foreignKeyRights, tableRights } from './rights-documents.js';

interface Policy {
  readonly catalog?: AclSet;
  readonly schema?: AclSet;
  readonly table?: AclSet;
  readonly column?: AclSet;
  readonly foreignKey?: AclSet;
  readonly tableBindings?: BindingSet;
  readonly columnBindings?: BindingSet;
  readonly foreignKeyBindings?: BindingSet;
  readonly system?: SystemColumn;
  readonly vetoes?: TableVetoes;
  readonly referenced?: AclSet;
}

interface Model {
  readonly catalog: CatalogElement;
  readonly schema: SchemaElement;
  readonly table: TableElement;
  readonly column: ColumnElement;
  readonly key: KeyElement;
  readonly foreignKey: ForeignKeyElement;
}

/** Catalog 42 of spec/catalog-access.md 5: alice owns it, everybody sees and reads. */
const OPEN: AclSet = { owner: ['alice'], enumerate: ['*'], select: ['*'], insert: [], update: [], delete: [] };

function model(policy: Policy): Model {
  const catalog: CatalogElement = { kind: 'catalog', acls: policy.catalog ?? OPEN };
  const schema: SchemaElement = { kind: 'schema', acls: policy.schema ?? {}, parent: catalog };
  const table: TableElement = {
    kind: 'table',
    acls: policy.table ?? {},
    parent: schema,
    bindings: policy.tableBindings ?? {},
    vetoes: policy.vetoes,
  };
  const column: ColumnElement = {
    kind: 'column',
    acls: policy.column ?? {},
    parent: table,
    bindings: policy.columnBindings ?? {},
    system: policy.system,
  };
  const other: TableElement = { kind: 'table', acls: policy.referenced ?? {}, parent: schema, bindings: {} };
  const id: ColumnElement = { kind: 'column', acls: {}, parent: other, bindings: {} };
  const foreignKey: ForeignKeyElement = {
    kind: 'foreign_key',
    acls: policy.foreignKey ?? {},
    parent: table,
    bindings: policy.foreignKeyBindings ?? {},
    columns: [column],
    references: { kind: 'key', parent: other, columns: [id] },
  };
  return { catalog, schema, table, column, key: { kind: 'key', parent: table, columns: [column] }, foreignKey };
}

const CLIENTS = {
  alice: rolesOf({ id: 'alice' }),
  bob: rolesOf({ id: 'bob' }, [{ id: 'staff' }]),
  carol: rolesOf({ id: 'carol' }),
  anon: ANONYMOUS_ROLES,
} as const;
type ClientName = keyof typeof CLIENTS;

function right(policy: Policy, client: ClientName, element: keyof Model, access: AclName): Right {
  return rightsEvaluator(CLIENTS[client]).right(model(policy)[element], access);
}

describe('effective static rights (spec/catalog-access.md 5)', () => {
  const rows: readonly (readonly [string, Policy, ClientName, string])[] = [
    ['no further lists', {}, 'bob', 'ttfff'],
    ['no further lists', {}, 'alice', 'ttttt'],
    ['T write staff', { table: { write: ['staff'] } }, 'bob', 'ttttt'],
    ['T insert staff', { table: { insert: ['staff'] } }, 'bob', 'tttff'],
    ['S write staff, T delete []', { schema: { write: ['staff'] }, table: { delete: [] } }, 'bob', 'ttttf'],
    ['S write staff, T select []', { schema: { write: ['staff'] }, table: { select: [] } }, 'bob', 'tfttt'],
    ['T enumerate [], select []', { table: { enumerate: [], select: [] } }, 'carol', 'fffff'],
    ['T owner carol', { table: { owner: ['carol'] } }, 'carol', 'ttttt'],
    ['T select staff', { table: { select: ['staff'] } }, 'carol', 'tffff'],
    ['T select staff', { table: { select: ['staff'] } }, 'anon', 'tffff'],
  ];
  it.each(rows)('%s', (_name, policy, client, expected) => {
    const accesses = ['enumerate', 'select', 'insert', 'update', 'delete'] as const;
    const got = accesses.map((access) => right(policy, client, 'table', access).charAt(0)).join('');
    expect(got).toBe(expected);
  });

  it('gives the owner of a table the model of that table, not of its schema', () => {
    const policy = { table: { owner: ['carol'] } };
    expect(right(policy, 'carol', 'table', 'owner')).toBe('true');
    expect(right(policy, 'carol', 'column', 'owner')).toBe('true');
    expect(right(policy, 'carol', 'key', 'owner')).toBe('true');
    expect(right(policy, 'carol', 'schema', 'owner')).toBe('false');
  });
});

describe('consequences (spec/catalog-access.md 2.4)', () => {
  type Row = readonly [string, Policy, readonly (readonly [ClientName, keyof Model, AclName, Right])[]];
  const rows: readonly Row[] = [
    [
      'an empty enumerate list hides a table that inherits select',
      { table: { enumerate: [] } },
      [['bob', 'table', 'enumerate', 'false']],
    ],
    [
      'a select list shows the table to those on it',
      { table: { enumerate: [], select: ['bob'] } },
      [
        ['bob', 'table', 'enumerate', 'true'],
        ['bob', 'table', 'select', 'true'],
        ['carol', 'table', 'enumerate', 'false'],
      ],
    ],
    [
      'an inherited update implies no select',
      { schema: { update: ['bob'] }, table: { select: [] } },
      [
        ['bob', 'table', 'update', 'true'],
        ['bob', 'table', 'select', 'false'],
      ],
    ],
    [
      'an own update list implies select',
      { table: { update: ['bob'], select: [] } },
      [
        ['bob', 'table', 'update', 'true'],
        ['bob', 'table', 'select', 'true'],
        ['bob', 'table', 'delete', 'false'],
      ],
    ],
    [
      'a hidden schema hides its tables',
      { schema: { enumerate: [], select: [] }, table: { select: ['bob'] } },
      [
        ['bob', 'table', 'enumerate', 'false'],
        ['bob', 'table', 'select', 'false'],
        ['bob', 'column', 'select', 'false'],
        ['alice', 'table', 'select', 'true'],
      ],
    ],
    [
      'a column cannot be written in a table that cannot',
      { column: { update: ['bob'] } },
      [['bob', 'column', 'update', 'false']],
    ],
    [
      'write on a column outweighs empty lists beside it',
      { table: { write: ['bob'] }, column: { write: ['bob'], update: [], insert: [] } },
      [
        ['bob', 'column', 'insert', 'true'],
        ['bob', 'column', 'update', 'true'],
      ],
    ],
    [
      'an empty update list on a column leaves insert alone',
      { table: { write: ['bob'] }, column: { update: [] } },
      [
        ['bob', 'column', 'insert', 'true'],
        ['bob', 'column', 'update', 'false'],
      ],
    ],
    [
      'a foreign key is open where it has no list',
      { foreignKey: { insert: ['bob'] } },
      [
        ['carol', 'foreignKey', 'update', 'true'],
        ['carol', 'foreignKey', 'insert', 'false'],
        ['bob', 'foreignKey', 'insert', 'true'],
        ['alice', 'foreignKey', 'insert', 'true'],
      ],
    ],
    [
      'an anonymous client changes nothing, even through a wildcard stored under a mutation name',
      { table: { write: ['*'], owner: ['*'] } },
      [
        ['anon', 'table', 'update', 'false'],
        ['anon', 'table', 'owner', 'false'],
        ['anon', 'table', 'select', 'true'],
        ['carol', 'table', 'update', 'true'],
        ['carol', 'table', 'owner', 'true'],
      ],
    ],
    [
      'create on the catalog is inherited by schemas',
      { catalog: { ...OPEN, create: ['bob'] } },
      [
        ['bob', 'schema', 'create', 'true'],
        ['bob', 'catalog', 'owner', 'false'],
        ['carol', 'schema', 'create', 'false'],
      ],
    ],
    [
      'the registry table takes no rows from anybody',
      { vetoes: ['insert', 'delete'], catalog: { ...OPEN, write: ['bob'] } },
      [
        ['alice', 'table', 'insert', 'false'],
        ['alice', 'table', 'delete', 'false'],
        ['alice', 'table', 'update', 'true'],
        ['alice', 'column', 'insert', 'false'],
      ],
    ],
    [
      'a table without history is not there at a snapshot',
      { vetoes: 'everything' },
      [
        ['alice', 'table', 'enumerate', 'false'],
        ['alice', 'table', 'owner', 'false'],
        ['alice', 'foreignKey', 'enumerate', 'false'],
      ],
    ],
  ];
  it.each(rows)('%s', (_name, policy, expectations) => {
    for (const [client, element, access, expected] of expectations) {
      expect([client, element, access, right(policy, client, element, access)]).toEqual([
        client,
        element,
        access,
        expected,
      ]);
    }
  });
});

describe('system columns', () => {
  const writable: Policy = { table: { write: ['bob'] } };
  const rows: readonly (readonly [SystemColumn, string, string, string, string])[] = [
    // column, bob: insert update; alice (catalog owner): insert; how bob may supply it
    ['RID', 'true', 'false', 'true', 'leased'],
    ['RCT', 'false', 'false', 'true', 'never'],
    ['RCB', 'false', 'false', 'true', 'never'],
    ['RMT', 'false', 'false', 'false', 'never'],
    ['RMB', 'false', 'false', 'false', 'never'],
  ];
  it.each(rows)('%s', (system, insert, update, ownerInsert, supply) => {
    const policy = { ...writable, system };
    expect(right(policy, 'bob', 'column', 'insert')).toBe(insert);
    expect(right(policy, 'bob', 'column', 'update')).toBe(update);
    expect(right(policy, 'bob', 'column', 'write')).toBe('false');
    expect(right(policy, 'alice', 'column', 'update')).toBe('false');
    expect(right(policy, 'alice', 'column', 'insert')).toBe(ownerInsert);
    expect(systemColumnInsert(rightsEvaluator(CLIENTS.bob), model(policy).column)).toBe(supply);
    expect(systemColumnInsert(rightsEvaluator(CLIENTS.alice), model(policy).column)).toBe(
      ownerInsert === 'true' ? 'free' : 'never',
    );
  });

  it('shows RID, RCT and RMT to whoever may see the row, whatever lists they have', () => {
    for (const system of ['RID', 'RCT', 'RMT', 'RCB', 'RMB'] as const) {
      const hidden = { system, column: { enumerate: [], select: [] } };
      const expected = system === 'RCB' || system === 'RMB' ? 'false' : 'true';
      expect(right(hidden, 'bob', 'column', 'enumerate')).toBe(expected);
      expect(right(hidden, 'bob', 'column', 'select')).toBe(expected);
      const byRow = { ...hidden, table: { select: [] }, tableBindings: { own: binding(['select']) } };
      expect(right({ ...byRow, columnBindings: { own: false } }, 'bob', 'column', 'select')).toBe(
        expected === 'true' ? 'row' : 'false',
      );
    }
  });
});

function binding(types: readonly ('owner' | 'select' | 'insert' | 'update' | 'delete')[], scopeAcl = ['*']) {
  return { types, scopeAcl };
}

describe('dynamic bindings', () => {
  it('owner rows give data access to rows, never the model and never new rows', () => {
    const policy = { table: { select: [] }, tableBindings: { own: binding(['owner']) } };
    const evaluator = rightsEvaluator(CLIENTS.bob);
    expect(tableRights(evaluator, model(policy).table)).toEqual({
      owner: false,
      insert: false,
      update: null,
      delete: null,
      select: null,
    });
    expect(right(policy, 'bob', 'table', 'enumerate')).toBe('true');
    expect(right(policy, 'bob', 'table', 'write')).toBe('false');
    expect(tableRights(rightsEvaluator(CLIENTS.anon), model(policy).table)).toEqual({
      owner: false,
      insert: false,
      update: false,
      delete: false,
      select: null,
    });
    expect(right(policy, 'alice', 'table', 'update')).toBe('true');
  });

  it('update and delete let one read, select lets one read only', () => {
    for (const type of ['update', 'delete'] as const) {
      const policy = { table: { select: [] }, tableBindings: { b: binding([type]) } };
      expect(right(policy, 'bob', 'table', 'select')).toBe('row');
      expect(right(policy, 'bob', 'table', type)).toBe('row');
      expect(right(policy, 'bob', 'table', type === 'update' ? 'delete' : 'update')).toBe('false');
    }
    const reading = { table: { select: [] }, tableBindings: { b: binding(['select']) } };
    expect(right(reading, 'bob', 'table', 'update')).toBe('false');
  });

  it('one out of scope is not there', () => {
    const policy = { table: { select: [] }, tableBindings: { b: binding(['owner'], ['staff']) } };
    expect(right(policy, 'bob', 'table', 'select')).toBe('row');
    expect(right(policy, 'carol', 'table', 'select')).toBe('false');
  });

  it('columns inherit those of the table by name, replace them and switch them off', () => {
    const base = { table: { select: [] }, tableBindings: { own: binding(['select']) } };
    expect(right(base, 'bob', 'column', 'select')).toBe('row');
    expect(right({ ...base, columnBindings: { own: false } }, 'bob', 'column', 'select')).toBe('false');
    const replaced = { ...base, columnBindings: { own: binding(['select'], ['carol']) } };
    expect(right(replaced, 'bob', 'column', 'select')).toBe('false');
    expect(right(replaced, 'carol', 'column', 'select')).toBe('row');
    const added = { ...base, columnBindings: { own: false, mine: binding(['select']) } } as const;
    expect(right(added, 'bob', 'column', 'select')).toBe('row');
  });

  it('a column that inherits static select is not masked by its bindings, one with an empty list is', () => {
    const policy = { columnBindings: { mine: binding(['select']) } };
    expect(right(policy, 'bob', 'column', 'select')).toBe('true');
    expect(right({ ...policy, column: { select: [] } }, 'bob', 'column', 'select')).toBe('row');
  });

  it('foreign keys know their own bindings only, and none for anonymous clients', () => {
    const closed = { foreignKey: { insert: [], update: [] } };
    expect(right({ ...closed, tableBindings: { own: binding(['owner']) } }, 'bob', 'foreignKey', 'insert')).toBe(
      'false',
    );
    const bound = { ...closed, foreignKeyBindings: { b: binding(['insert']) } };
    expect(right(bound, 'bob', 'foreignKey', 'insert')).toBe('row');
    expect(right(bound, 'bob', 'foreignKey', 'update')).toBe('false');
    expect(right(bound, 'anon', 'foreignKey', 'insert')).toBe('false');
    expect(right({ ...closed, foreignKeyBindings: { b: binding(['owner']) } }, 'bob', 'foreignKey', 'update')).toBe(
      'row',
    );
  });
});

describe('visibility of keys and foreign keys', () => {
  it('goes with the visibility and readability of their columns', () => {
    expect(right({}, 'bob', 'key', 'enumerate')).toBe('true');
    expect(right({ column: { select: [] } }, 'bob', 'key', 'enumerate')).toBe('false');
    expect(right({ column: { enumerate: [] } }, 'bob', 'key', 'enumerate')).toBe('false');
    const byRow = { column: { select: [] }, columnBindings: { b: binding(['select']) } };
    expect(right(byRow, 'bob', 'key', 'enumerate')).toBe('true');
    expect(right({ column: { select: [] } }, 'bob', 'foreignKey', 'enumerate')).toBe('false');
    expect(right({ referenced: { enumerate: [], select: [] } }, 'bob', 'foreignKey', 'enumerate')).toBe('false');
    expect(right({ foreignKey: { enumerate: [] } }, 'bob', 'foreignKey', 'enumerate')).toBe('false');
    expect(right({ foreignKey: { enumerate: [], insert: ['*'] } }, 'anon', 'foreignKey', 'enumerate')).toBe('true');
  });
});

describe('rights documents (spec/catalog-access.md 6)', () => {
  it('a foreign key is limited by the first column that is not writable', () => {
    const writable = { table: { write: ['bob'] } };
    const bob = rightsEvaluator(CLIENTS.bob);
    expect(foreignKeyRights(bob, model(writable).foreignKey)).toEqual({ insert: true, update: true });
    expect(foreignKeyRights(bob, model({ ...writable, column: { update: [] } }).foreignKey)).toEqual({
      insert: true,
      update: false,
    });
    const masked = { table: { select: ['*'] }, tableBindings: { b: binding(['update']) } };
    expect(foreignKeyRights(bob, model(masked).foreignKey)).toEqual({ insert: false, update: null });
    const closed = { ...writable, foreignKey: { insert: [] }, foreignKeyBindings: { b: binding(['insert']) } };
    expect(foreignKeyRights(bob, model(closed).foreignKey)).toEqual({ insert: null, update: true });
  });

  it('columns speak of insert as a boolean and of the rest by row', () => {
    const policy = { table: { select: [] }, tableBindings: { own: binding(['owner']) } };
    expect(columnRights(rightsEvaluator(CLIENTS.bob), model(policy).column)).toEqual({
      insert: false,
      update: null,
      delete: null,
      select: null,
    });
  });

  it('at a snapshot nothing but select is left', () => {
    const alice = rightsEvaluator(CLIENTS.alice);
    const { catalog, schema, table, column, foreignKey } = model({});
    const snapshot = { snapshot: true };
    expect(containerRights(alice, catalog)).toEqual({ owner: true, create: true });
    expect(containerRights(alice, schema, snapshot)).toEqual({ owner: false, create: false });
    expect(tableRights(alice, table, snapshot)).toEqual({
      owner: false,
      insert: false,
      update: false,
      delete: false,
      select: true,
    });
    expect(columnRights(alice, column, snapshot)).toEqual({
      insert: false,
      update: false,
      delete: false,
      select: true,
    });
    expect(foreignKeyRights(alice, foreignKey, snapshot)).toEqual({ insert: false, update: false });
  });
});

describe('keepsOwnership', () => {
  it('holds through inheritance and groups, and falls with the own list', () => {
    const bob = rightsEvaluator(CLIENTS.bob);
    const { table, catalog } = model({});
    expect(keepsOwnership(bob, { ...table, acls: { owner: ['bob'] } })).toBe(true);
    expect(keepsOwnership(bob, { ...table, acls: { owner: ['staff'] } })).toBe(true);
    expect(keepsOwnership(bob, { ...table, acls: { owner: ['carol'] } })).toBe(false);
    expect(keepsOwnership(rightsEvaluator(CLIENTS.alice), { ...table, acls: { owner: ['carol'] } })).toBe(true);
    expect(keepsOwnership(rightsEvaluator(CLIENTS.alice), { ...catalog, acls: { owner: [] } })).toBe(false);
  });
});

describe('properties of the algebra', () => {
  const role = fc.constantFrom('alice', 'bob', 'staff', 'carol', '*');
  const list = fc.uniqueArray(role, { maxLength: 3 });
  const acls = (kind: 'catalog' | 'schema' | 'table' | 'column' | 'foreign_key'): fc.Arbitrary<AclSet> =>
    fc.record(Object.fromEntries(NAMES_OF_KIND[kind].map((name) => [name, list])), { requiredKeys: [] });
  const bindings: fc.Arbitrary<BindingSet> = fc.dictionary(
    fc.constantFrom('p', 'q'),
    fc.oneof(
      fc.constant(false as const),
      fc.record({
        types: fc.uniqueArray(fc.constantFrom('owner', 'select', 'update', 'delete', 'insert'), { minLength: 1 }),
        scopeAcl: list,
      }),
    ),
  );
  const policy: fc.Arbitrary<Policy> = fc.record({
    catalog: acls('catalog'),
    schema: acls('schema'),
    table: acls('table'),
    column: acls('column'),
    foreignKey: acls('foreign_key'),
    tableBindings: bindings,
    columnBindings: bindings,
    foreignKeyBindings: bindings,
  });
  const client = fc.constantFrom<ClientName>('alice', 'bob', 'carol', 'anon');
  const access = fc.constantFrom(...ACL_NAMES);
  const part = fc.constantFrom<keyof Model>('catalog', 'schema', 'table', 'column', 'foreignKey', 'key');
  const strength: Readonly<Record<Right, number>> = { false: 0, row: 1, true: 2 };

  it('one more role in a configured list never weakens a right', () => {
    const place = fc.constantFrom('catalog', 'schema', 'table', 'column', 'foreignKey');
    fc.assert(
      fc.property(policy, client, part, access, place, access, role, (p, who, element, a, where, name, more) => {
        const set: AclSet = p[where] ?? {};
        // a list that was unset is another matter: setting it blocks inheritance
        fc.pre(set[name] !== undefined);
        const wider: Policy = { ...p, [where]: { ...set, [name]: [...(set[name] ?? []), more] } };
        expect(strength[right(wider, who, element, a)]).toBeGreaterThanOrEqual(strength[right(p, who, element, a)]);
      }),
      { numRuns: 2000 },
    );
  });

  it('one more role of the client never weakens a right', () => {
    fc.assert(
      fc.property(
        policy,
        part,
        access,
        fc.uniqueArray(fc.constantFrom('staff', 'bob', 'alice')),
        (p, element, a, groups) => {
          const few: Roles = rolesOf({ id: 'carol' });
          const more: Roles = rolesOf(
            { id: 'carol' },
            groups.map((id) => ({ id })),
          );
          const m = model(p);
          const before = rightsEvaluator(few).right(m[element], a);
          expect(strength[rightsEvaluator(more).right(m[element], a)]).toBeGreaterThanOrEqual(strength[before]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('owners of the catalog may do everything that is not vetoed', () => {
    fc.assert(
      fc.property(policy, part, access, (p, element, a) => {
        fc.pre(element !== 'key');
        const owned = { ...p, catalog: { ...p.catalog, owner: ['alice'] } };
        expect(right(owned, 'alice', element, a)).toBe('true');
      }),
    );
  });

  it('anonymous clients change nothing below, and a column never exceeds a denied table', () => {
    fc.assert(
      fc.property(policy, client, access, (p, who, a) => {
        if (a !== 'select' && a !== 'enumerate') {
          for (const element of ['catalog', 'schema', 'table', 'column'] as const) {
            expect(right(p, 'anon', element, a)).toBe('false');
          }
        }
        if (right(p, who, 'table', a) === 'false') expect(right(p, who, 'column', a)).toBe('false');
      }),
    );
  });

  it('the order of questions does not change the answers', () => {
    fc.assert(
      fc.property(policy, client, (p, who) => {
        const m = model(p);
        const questions = (Object.values(m) as readonly AclElement[]).flatMap((e) =>
          ACL_NAMES.map((a) => [e, a] as const),
        );
        const forth = rightsEvaluator(CLIENTS[who]);
        const back = rightsEvaluator(CLIENTS[who]);
        const answers = questions.map(([e, a]) => forth.right(e, a));
        const reversed = [...questions].reverse().map(([e, a]) => back.right(e, a));
        expect(reversed.reverse()).toEqual(answers);
      }),
      { numRuns: 50 },
    );
  });
});
