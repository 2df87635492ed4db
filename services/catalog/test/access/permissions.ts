/**
 * Who may do what: a policy, and under it for each client what each operation answers. `200:2` is a status and the number of rows (of
 * values that are not null, for `values`). Bob is in the group g2. The rows are those of `documents.ts`: of 11 to 14, the first is
 * everybody's, 12 is bob's, 13 carol's. Their categories: 1, open to everybody; 2, bob's; 3, alice's; none.
 */
export interface PermissionPolicy {
  readonly title: string;
  /** Lists and bindings, by what they are put to; `{S}`, `{D}` and `{F}` stand for the schema, the table and its foreign key. */
  readonly policy: Readonly<Record<string, unknown>>;
  readonly expected: string;
}

/** Method and path of each operation; `{id}` is a row of the client's own, `{new}` one that is not there. */
export const operations: Readonly<Record<string, readonly [method: string, path: string, body?: string]>> = {
  see: ['GET', '{D}'],
  rows: ['GET', '/attribute/S:D/id'],
  whole: ['GET', '/entity/S:D'],
  values: ['GET', '/attribute/S:D/id,val'],
  insert: ['POST', '/entity/S:D', '[{"id":{new},"name":"x"}]'],
  default: ['POST', '/entity/S:D?defaults=val', '[{"id":{new},"name":"x"}]'],
  refer: ['POST', '/entity/S:D', '[{"id":{new},"c_id":3}]'],
  change: ['PUT', '/attributegroup/S:D/id;name', '[{"id":{id},"name":"x"}]'],
  val: ['PUT', '/attributegroup/S:D/id;val', '[{"id":{id},"val":9}]'],
  others: ['PUT', '/attributegroup/S:D/id;name', '[{"id":14,"name":"x"}]'],
  put: ['PUT', '/entity/S:D', '[{"id":{id},"name":"x"}]'],
  new: ['PUT', '/entity/S:D', '[{"id":{new},"name":"x"}]'],
  clear: ['DELETE', '/attribute/S:D/id={id}/name'],
  delete: ['DELETE', '/entity/S:D/id={id}'],
  all: ['DELETE', '/entity/S:D'],
  lists: ['GET', '{D}/acl'],
  comment: ['PUT', '{D}/comment', 'a comment'],
};

const byMember = (...types: readonly string[]) => ({ types, projection: 'member' });
const byCategory = (...types: readonly string[]) => ({ types, projection: [{ outbound: ['S', 'd_c'] }, 'ACL'] });
const everyRow = (...types: readonly string[]) => ({ types, projection: 'RID', projection_type: 'nonnull' });

export const permissions: readonly PermissionPolicy[] = [
  {
    title: 'nothing but what the catalog says: all see and read',
    policy: {},
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      carol  200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'the table is written by a group',
    policy: { '{D}/acl': { write: ['g2'] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   200     200     200     200     200     200     200     200     204     204     204     403     403
      carol  200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'rows are added by a group',
    policy: { '{D}/acl': { insert: ['g2'] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   200     200     200     403     403     403     403     403     403     403     403     403     403
      carol  200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'the schema is written by a group, but the table lets nobody delete',
    policy: { '{S}/acl': { write: ['g2'] }, '{D}/acl': { delete: [] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   200     200     200     200     200     200     200     200     204     403     403     403     403
      carol  200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'the schema is written by a group, but the table lets nobody read',
    policy: { '{S}/acl': { write: ['g2'] }, '{D}/acl': { select: [] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     403     403     403     200     200     200     403     403     403     200     200     403     403     403     403     403
      carol  200     403     403     403     403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     401     401     401     401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'the table is hidden',
    policy: { '{D}/acl': { enumerate: [], select: [] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    404     409     409     409     409     409     409     409     409     409     409     409     409     409     409     404     404
      carol  404     409     409     409     409     409     409     409     409     409     409     409     409     409     409     404     404
      anon   404     409     409     409     409     409     409     409     409     409     409     409     409     409     409     404     404`,
  },
  {
    title: 'carol owns the table',
    policy: { '{D}/acl': { owner: ['carol'] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      carol  200     200:4   200:4   200:4   200     200     200     200     200     200     200     200     204     204     204     200     204
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'the table is read by a group',
    policy: { '{D}/acl': { select: ['g2'] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      carol  200     403     403     403     403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     401     401     401     401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'the schema is hidden, whatever the table says',
    policy: { '{S}/acl': { enumerate: [], select: [] }, '{D}/acl': { select: ['bob'] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    404     409     409     409     409     409     409     409     409     409     409     409     409     409     409     404     404
      carol  404     409     409     409     409     409     409     409     409     409     409     409     409     409     409     404     404
      anon   404     409     409     409     409     409     409     409     409     409     409     409     409     409     409     404     404`,
  },
  {
    title: 'who may change rows may read them',
    policy: { '{D}/acl': { update: ['bob'], select: [] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   403     403     403     200     200     200     200     403     204     403     403     403     403
      carol  200     403     403     403     403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     401     401     401     401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'a column is not read',
    policy: { '{D}/acl': { write: ['g2'] }, '{D}/column/val/acl': { select: [] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   403     403     200     200     200     200     200     200     200     200     403     403     403     403     403
      carol  200     200:4   403     403     403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     200:4   401     401     401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'a column is hidden',
    policy: {
      '{D}/acl': { write: ['g2'] },
      '{D}/column/val/acl': { enumerate: [], select: [], insert: [], update: [] },
    },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   409     200     409     200     200     409     200     200     200     204     204     204     403     403
      carol  200     200:4   200:4   409     403     409     403     403     409     403     403     403     403     403     403     403     403
      anon   200     200:4   200:4   409     401     409     401     401     409     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'a column is not changed',
    policy: { '{D}/acl': { write: ['g2'] }, '{D}/column/val/acl': { update: [] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   200     200     200     200     403     200     403     403     204     204     204     403     403
      carol  200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'a column is not inserted',
    policy: { '{D}/acl': { write: ['g2'] }, '{D}/column/val/acl': { insert: [] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   403     200     403     200     200     200     200     403     204     204     204     403     403
      carol  200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'a column gives no more than its table',
    policy: { '{D}/column/val/acl': { update: ['bob'], insert: ['bob'] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      carol  200     200:4   200:4   200:4   403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'references are not placed',
    policy: { '{D}/acl': { write: ['g2', 'carol'] }, '{F}/acl': { insert: [], update: [] } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   200     200     403     200     200     200     200     200     204     204     204     403     403
      carol  200     200:4   200:4   200:4   200     200     403     200     200     200     200     200     204     204     204     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: "references are placed to categories of one's own",
    policy: {
      '{D}/acl': { write: ['g2', 'carol'] },
      '{F}/acl': { insert: [], update: [] },
      '{F}/acl_binding': { own: { types: ['owner'], projection: 'ACL' } },
    },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   200     200     403     200     200     200     200     200     204     204     204     403     403
      carol  200     200:4   200:4   200:4   200     200     403     200     200     200     200     200     204     204     204     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'rows belong to their members',
    policy: { '{D}/acl': { select: [] }, '{D}/acl_binding': { own: byMember('owner') } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:2   200:2   200:2   403     403     403     200     200     409     200     403     204     204     204     403     403
      carol  200     200:2   200:2   200:2   403     403     403     200     200     409     200     403     204     204     204     403     403
      anon   200     200:1   200:1   200:1   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'rows belong to their members, and new ones are added by a group',
    policy: { '{D}/acl': { select: [], insert: ['g2'] }, '{D}/acl_binding': { own: byMember('owner') } },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:2   200:2   200:2   200     200     200     200     200     409     200     200     204     204     204     403     403
      carol  200     200:2   200:2   200:2   403     403     403     200     200     409     200     403     204     204     204     403     403
      anon   200     200:1   200:1   200:1   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'all rows are seen, and those of members changed',
    policy: {
      '{D}/acl': { select: [] },
      '{D}/acl_binding': { see: everyRow('select'), change: byMember('update', 'delete') },
    },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   403     403     403     200     200     403     200     403     204     204     403     403     403
      carol  200     200:4   200:4   200:4   403     403     403     200     200     403     200     403     204     204     403     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'rows are read by their category and changed by their member',
    policy: {
      '{D}/acl': { select: [] },
      '{D}/acl_binding': { read: byCategory('select'), change: byMember('update') },
    },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:2   200:2   200:2   403     403     403     200     200     409     200     403     204     403     403     403     403
      carol  200     200:2   200:2   200:2   403     403     403     200     200     409     200     403     204     403     403     403     403
      anon   200     200:1   200:1   200:1   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'rows belong to categories, by a binding for carol alone',
    policy: {
      '{D}/acl': { select: [] },
      '{D}/acl_binding': { own: { ...byCategory('owner'), scope_acl: ['carol'] } },
    },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     403     403     403     403     403     403     403     403     403     403     403     403     403     403     403     403
      carol  200     200:1   200:1   200:1   403     403     403     409     409     409     403     403     404     404     204     403     403
      anon   200     401     401     401     401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'a column of rows that belong to all belongs to members',
    policy: {
      '{D}/acl': { select: [] },
      '{D}/acl_binding': { own: everyRow('owner') },
      '{D}/column/val/acl_binding': { own: false, mine: byMember('owner') },
    },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:2   403     403     403     200     200     200     200     403     204     204     204     403     403
      carol  200     200:4   200:4   200:2   403     403     403     200     200     200     200     403     204     204     204     403     403
      anon   200     200:4   200:4   200:1   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'a column of a table that all read is read by members',
    policy: {
      '{D}/column/val/acl': { select: [] },
      '{D}/column/val/acl_binding': { mine: byMember('select') },
    },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:2   403     403     403     403     403     403     403     403     403     403     403     403     403
      carol  200     200:4   200:4   200:2   403     403     403     403     403     403     403     403     403     403     403     403     403
      anon   200     200:4   200:4   200:1   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
  {
    title: 'all rows are changed, a column of members only',
    policy: {
      '{D}/acl': { update: ['bob', 'carol'] },
      '{D}/column/val/acl': { update: [] },
      '{D}/column/val/acl_binding': { mine: byCategory('update') },
    },
    expected: `
             see     rows    whole   values  insert  default refer   change  val     others  put     new     clear   delete  all     lists   comment
      bob    200     200:4   200:4   200:4   403     403     403     200     200     200     200     403     204     403     403     403     403
      carol  200     200:4   200:4   200:4   403     403     403     200     403     200     403     403     204     403     403     403     403
      anon   200     200:4   200:4   200:4   401     401     401     401     401     401     401     401     401     401     401     401     401`,
  },
];
