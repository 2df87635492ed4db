import type { ClientName } from '../support/catalog-fixture.js';

/** A step of a story: an example of spec/catalog-access.md 13 (numbers as there), or what it needs or implies. */
export interface Step {
  readonly name: string;
  readonly as: ClientName;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Behind the path of the catalog; `{D}` and `{F}` stand for the table `S:D` and its foreign key `d_c`. */
  readonly path: string;
  readonly body?: unknown;
  readonly status: number | typeof policySet;
  /** The JSON of the answer, where lists must be as long. */
  readonly json?: object;
  /** Members that the JSON must not have. */
  readonly without?: readonly string[];
}

/** Steps that build on one another, on a catalog of their own with the rows of `documents.ts`. */
export interface Story {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** How the setting of lists and bindings is answered. */
const policySet = { standard: 204, deriva: 200 };

function step(
  name: string,
  request: `${ClientName} ${Step['method']} ${string}`,
  status: Step['status'],
  more: Pick<Step, 'body' | 'json' | 'without'> = {},
): Step {
  const [as, method, path] = request.split(' ') as [ClientName, Step['method'], string];
  return { name, as, method, path, status, ...more };
}

/** A change of the policy by alice. */
function policy(name: string, path: string, body: unknown): Step {
  return step(name, `alice PUT ${path}`, policySet, { body });
}

const ids = (...numbers: readonly number[]) => numbers.map((id) => ({ id }));
const both = { update: true, delete: true };
const neither = { update: false, delete: false };
const memberBinding = { types: ['owner'], projection: 'member' };
const noSystem = { RID: false, RCT: false, RMT: false, RCB: false, RMB: false };

const rowsOfOnesOwn: Story = {
  title: '1 to 22: rows that name their readers',
  steps: [
    step('1', 'bob GET /attribute/S:D/id@sort(id)', 200, { json: ids(11, 12, 13, 14) }),
    policy('2', '{D}/acl', { select: [] }),
    step('2, then', 'bob GET /entity/S:D', 403),
    step('3', 'anon GET /entity/S:D', 401),
    policy('4', '{D}/acl_binding/own', memberBinding),
    step('5', 'alice GET {D}/acl_binding/own', 200, {
      json: { ...memberBinding, projection_type: 'acl', scope_acl: ['*'] },
    }),
    step('6', 'bob GET /attribute/S:D/id@sort(id)', 200, { json: ids(11, 12) }),
    step('6, counted', 'bob GET /aggregate/S:D/n:=cnt(*)', 200, { json: [{ n: 2 }] }),
    step('7', 'anon GET /attribute/S:D/id', 200, { json: ids(11) }),
    step('8', 'bob GET {D}', 200, {
      json: { rights: { select: null, update: null, delete: null, insert: false, owner: false } },
      without: ['acls', 'acl_bindings'],
    }),
    step('9', 'anon GET {D}', 200, {
      json: { rights: { select: null, update: false, delete: false, insert: false, owner: false } },
    }),
    step('10', 'bob GET {D}/acl_binding', 403),
    step('10, of the model', 'bob PUT {D}/acl', 403, { body: { owner: ['bob'] } }),
    step('11', 'bob GET /attributegroup/S:D/id;r:=trs(RID)@sort(id)', 200, {
      json: [
        { id: 11, r: both },
        { id: 12, r: both },
      ],
    }),
    step('12', 'anon GET /attributegroup/S:D/id;r:=trs(RID)', 200, { json: [{ id: 11, r: neither }] }),
    step('13', 'bob GET /attributegroup/S:D/id=12/id;r:=tcrs(RID)', 200, {
      json: [
        { r: { ...both, column_update: { ...noSystem, id: true, name: true, member: true, c_id: true, val: true } } },
      ],
    }),
    step('14', 'bob GET /attributegroup/S:D/r:=trs(RID);id', 400),
    step('15', 'bob GET /attributegroup/S:D/id;r:=trs(id)', 409),
    step('16', 'bob PUT /attributegroup/S:D/id;name', 200, { body: [{ id: 12, name: 'x' }] }),
    step('17', 'bob PUT /attributegroup/S:D/id;name', 409, {
      body: [
        { id: 12, name: 'y' },
        { id: 13, name: 'y' },
      ],
    }),
    step('17, unchanged', 'alice GET /attribute/S:D/id=12/name', 200, { json: [{ name: 'x' }] }),
    step('18', 'bob POST /entity/S:D', 403, { body: [{ id: 1 }] }),
    step('21', 'bob DELETE /attribute/S:D/id=12/name', 204),
    step('22', 'anon DELETE /entity/S:D/id=11', 401),
    step('19', 'bob DELETE /entity/S:D/id=12', 204),
    step('19, of another', 'bob DELETE /entity/S:D/id=13', 404),
    step('19, of all', 'bob DELETE /entity/S:D', 204),
    step('19, what is left', 'alice GET /attribute/S:D/id@sort(id)', 200, { json: ids(13, 14) }),
    step('20', 'bob DELETE /entity/S:D/id=999', 404),
  ],
};

/** A binding that is set, in the form that is tested. */
function binding(name: string, body: unknown, status: Step['status']): Step {
  return step(name, 'alice PUT {D}/acl_binding/b', status, { body });
}

const select = (projection: unknown, more: object = {}) => ({ types: ['select'], projection, ...more });

/** A RID is text, which would be taken for a role. */
const nonnull = { projection_type: 'nonnull' };

const documents: Story = {
  title: '23 to 33: what a binding may say',
  steps: [
    binding('23', { types: ['insert'], projection: 'member' }, 400),
    binding('24, no types', { types: [], projection: 'member' }, 400),
    binding('24, no projection', { types: ['select'] }, 400),
    binding('24, another member', { ...memberBinding, x: 1 }, 400),
    binding('25', select('nope'), 409),
    binding('26', select('val', { projection_type: 'acl' }), 409),
    binding('27', select('val'), policySet),
    step('27, read', 'alice GET {D}/acl_binding/b', 200, { json: { projection_type: 'nonnull' } }),
    binding('28', select([{ outbound: ['S', 'd_c'] }, 'ACL']), policySet),
    binding('29', select([{ inbound: ['S', 'd_c'] }, 'ACL']), 409),
    binding('30', select([{ outbound: 'd_c' }, 'ACL']), 400),
    binding('31', select([{ filter: 'val', operand: 'abc' }, 'RID']), 400),
    binding(
      '32',
      select(
        [
          {
            and: [
              { filter: 'val', operand: 1 },
              { filter: 'name', operator: 'null', negate: true },
            ],
          },
          'RID',
        ],
        nonnull,
      ),
      policySet,
    ),
    policy('32, rows by a rule alone', '{D}/acl', { select: [] }),
    step('32, at work', 'bob GET /attribute/S:D/id', 200, { json: ids(12) }),
    binding('33', select('member', { scope_acl: ['staff'] }), policySet),
    step('33, out of scope', 'carol GET /entity/S:D', 403),
  ],
};

const linked = (id: number, c_id: number | null) => ({ id, c_id });
const values = (...vals: readonly (number | null)[]) => vals.map((val, index) => ({ id: 11 + index, val }));

const links: Story = {
  title: '28 at work: rows that other rows open',
  steps: [
    step('rows', 'alice PUT /attributegroup/S:D/id;c_id', 200, {
      body: [linked(11, 1), linked(12, 2), linked(13, 3), linked(14, null)],
    }),
    policy('no static right', '{D}/acl', { select: [] }),
    policy('28', '{D}/acl_binding/b', select([{ outbound: ['S', 'd_c'] }, 'ACL'])),
    step('bob', 'bob GET /attribute/S:D/id@sort(id)', 200, { json: ids(11, 12) }),
    step('anon', 'anon GET /attribute/S:D/id@sort(id)', 200, { json: ids(11) }),
    step('an owner', 'alice GET /attribute/S:D/id@sort(id)', 200, { json: ids(11, 12, 13, 14) }),
    policy('no static right on Cat', '/schema/S/table/Cat/acl', { select: [] }),
    policy('inbound', '/schema/S/table/Cat/acl_binding', {
      used: select([{ inbound: ['S', 'd_c'] }, 'member']),
    }),
    step('inbound, bob', 'bob GET /attribute/S:Cat/id@sort(id)', 200, { json: ids(1, 2) }),
    step('inbound, anon', 'anon GET /attribute/S:Cat/id@sort(id)', 200, { json: ids(1) }),
    step('rows of both tables', 'bob GET /attribute/D:=S:D/(c_id)/D:id,c:=id@sort(id)', 200, {
      json: [
        { id: 11, c: 1 },
        { id: 12, c: 2 },
      ],
    }),
    policy('context, alias, filters', '{D}/acl_binding', {
      b: select(
        [
          { outbound: ['S', 'd_c'], alias: 'c' },
          { inbound: ['S', 'd_c'], alias: 'sibling' },
          { context: 'base', outbound: ['S', 'd_c'] },
          {
            or: [
              { filter: ['base', 'val'], operand: 0 },
              { filter: ['sibling', 'val'], operator: 'gt', operand: 1 },
            ],
          },
          { filter: ['c', 'ACL'], operand: 'bob', negate: true },
          'RID',
        ],
        nonnull,
      ),
    }),
    step('context, alias, filters, at work', 'carol GET /attribute/S:D/id@sort(id)', 200, { json: ids(11, 13) }),
    step('of a row that is gone', 'alice DELETE /entity/S:D/id=13', 204),
    step('nothing is cached', 'carol GET /attribute/S:D/id@sort(id)', 200, { json: ids(11) }),
  ],
};

const columns: Story = {
  title: '34 to 36: columns with rules of their own',
  steps: [
    policy('rows by a rule alone', '{D}/acl', { select: [] }),
    policy('the table', '{D}/acl_binding', {
      own: { types: ['owner'], projection: 'RID', projection_type: 'nonnull' },
    }),
    policy('34', '{D}/column/val/acl_binding', { own: false, mine: select('member') }),
    step('34, read', 'bob GET /attribute/S:D/id,val@sort(id)', 200, { json: values(0, 1, null, null) }),
    step('34, of whole rows', 'bob GET /entity/S:D/id=13', 200, { json: [{ id: 13, val: null }] }),
    step('35', 'bob GET /attribute/S:D/val::null::/id@sort(id)', 200, { json: ids(13, 14) }),
    step('35, aggregates', 'bob GET /aggregate/S:D/n:=cnt(val),most:=max(val)', 200, { json: [{ n: 2, most: 1 }] }),
    step('35, groups', 'bob GET /attributegroup/S:D/val;n:=cnt(*)@sort(val)', 200, {
      json: [
        { val: 0, n: 1 },
        { val: 1, n: 1 },
        { val: null, n: 2 },
      ],
    }),
    step('35, page keys', 'bob GET /attribute/S:D/id,val@sort(val,id)@after(1,12)', 200, {
      json: [
        { id: 13, val: null },
        { id: 14, val: null },
      ],
    }),
    step('35, text search', 'bob GET /attribute/S:D/*::regexp::%5E3%24/id', 200, { json: [] }),
    step('35, keys of a change', 'bob PUT /attributegroup/S:D/val;name', 409, { body: [{ val: 2, name: 'probe' }] }),
    step('35, a change', 'bob PUT /attributegroup/S:D/id;val', 403, { body: [{ id: 11, val: 9 }] }),
    step('35, tcrs', 'bob GET /attributegroup/S:D/id=11/id;r:=tcrs(RID)', 200, {
      json: [{ r: { update: true, column_update: { name: true, val: false } } }],
    }),
    policy('36', '{D}/acl', { select: ['*'] }),
    step('36, read', 'bob GET /attribute/S:D/id,val@sort(id)', 200, { json: values(0, 1, 2, 3) }),
    policy('36, no static right', '{D}/column/val/acl/select', []),
    step('36, masked again', 'bob GET /attribute/S:D/id,val@sort(id)', 200, { json: values(0, 1, null, null) }),
    step('36, an owner', 'alice GET /attribute/S:D/id,val@sort(id)', 200, { json: values(0, 1, 2, 3) }),
  ],
};

const references: Story = {
  title: '37 to 39: references',
  steps: [
    policy('37', '{F}/acl', { insert: [], update: [] }),
    policy('37, rows', '{D}/acl', { insert: ['bob'], update: ['bob'] }),
    step('37, to a row', 'bob POST /entity/S:D', 403, { body: [linked(21, 1)] }),
    step('37, to none', 'bob POST /entity/S:D', 200, { body: [linked(22, null)] }),
    step('37, defaulted', 'bob POST /entity/S:D?defaults=c_id', 200, { body: [linked(23, 1)] }),
    policy('38', '{F}/acl_binding/open', { types: ['insert'], projection: 'ACL' }),
    step('38, open to all', 'bob POST /entity/S:D', 200, { body: [linked(24, 1)] }),
    step('38, to alice', 'bob POST /entity/S:D', 403, { body: [linked(25, 1), linked(26, 3)] }),
    step('38, to nothing', 'bob POST /entity/S:D', 403, { body: [linked(25, 77)] }),
    step('38, in CSV', 'bob POST /entity/S:D?defaults=name,member,val', 403, { body: 'id,c_id\n25,1\n26,3\n' }),
    step('38, what is there', 'alice GET /attribute/S:D/id::gt::20/id@sort(id)', 200, { json: ids(22, 23, 24) }),
    step('38, rights', 'bob GET {F}', 200),
    step('38, a change', 'bob PUT /attributegroup/S:D/id;c_id', 403, { body: [linked(22, 1)] }),
    step('38, to NULL', 'bob PUT /attributegroup/S:D/id;c_id', 200, { body: [linked(24, null)] }),
    policy('38, of both kinds', '{F}/acl_binding/open', { types: ['owner'], projection: 'ACL' }),
    step('38, a change that is allowed', 'bob PUT /attributegroup/S:D/id;c_id', 200, { body: [linked(22, 2)] }),
    step('38, one of two', 'bob PUT /attributegroup/S:D/id;c_id', 403, { body: [linked(22, 1), linked(23, 3)] }),
    step('38, entities', 'bob PUT /entity/S:D', 403, { body: [linked(22, 3)] }),
    step('38, new entities', 'bob PUT /entity/S:D', 403, { body: [linked(22, 1), linked(31, 3)] }),
    step('38, both allowed', 'bob PUT /entity/S:D', 200, { body: [linked(22, 1), linked(31, 2)] }),
    step('39', 'alice POST /entity/S:D', 409, { body: [linked(25, 77)] }),
  ],
};

const staticColumns: Story = {
  title: '40 to 42: columns with lists of their own',
  steps: [
    policy('40', '{D}/column/val/acl', { enumerate: [], select: [], insert: [] }),
    step('40, of the model', 'bob GET {D}/column/val', 404),
    step('40, of rows', 'bob GET /attribute/S:D/val', 409),
    policy('41', '{D}/column/val/acl', { select: [] }),
    step('41, whole rows', 'bob GET /entity/S:D', 403),
    step('41, others', 'bob GET /attribute/S:D/id@sort(id)', 200, { json: ids(11, 12, 13, 14) }),
    policy('42, the table', '{D}/acl', { insert: ['bob'] }),
    policy('42', '{D}/column/val/acl', { insert: [] }),
    step('42, refused', 'bob POST /entity/S:D', 403, { body: [{ id: 41, val: 1 }] }),
    step('42, defaulted', 'bob POST /entity/S:D?defaults=val', 200, { body: [{ id: 41, val: 1 }] }),
    step('42, what is there', 'alice GET /attribute/S:D/id=41/val', 200, { json: [{ val: null }] }),
  ],
};

const ownership: Story = {
  title: '43 to 47: ownership; bindings and what they use',
  steps: [
    policy('43, who may make schemas', '/acl/create', ['bob']),
    step('43', 'bob POST /schema/B', 201),
    step('43, read', 'bob GET /schema/B/acl', 200, { json: { owner: ['bob'] } }),
    step('44', 'bob PUT /schema/B/acl/owner', 403, { body: ['carol'] }),
    step('44, together', 'bob PUT /schema/B/acl/owner', policySet, { body: ['carol', 'bob'] }),
    step('45', 'carol PUT /schema/B/acl/owner', policySet, { body: ['carol'] }),
    step('45, then', 'bob GET /schema/B/acl', 403),
    policy('46, a rule', '{D}/acl', { select: [] }),
    policy('46, its binding', '{D}/acl_binding', {
      own: memberBinding,
      by_cat: select([{ outbound: ['S', 'd_c'] }, 'ACL']),
    }),
    step('46', 'alice PUT {D}/column/member', 200, { body: { name: 'owner_id' } }),
    step('46, read', 'alice GET {D}/acl_binding/own', 200, { json: { projection: 'owner_id' } }),
    step('46, at work', 'bob GET /attribute/S:D/id@sort(id)', 200, { json: ids(11, 12) }),
    step('47', 'alice DELETE {F}', 204),
    step('47, read', 'alice GET {D}/acl_binding', 200, {
      json: { own: { projection: 'owner_id' } },
      without: ['by_cat'],
    }),
  ],
};

export const stories: readonly Story[] = [
  rowsOfOnesOwn,
  documents,
  links,
  columns,
  references,
  staticColumns,
  ownership,
];
