/** A request of somebody who would like to know what is hidden. `{now}` is the latest snapshot, `{rid}` a row that is hidden. */
export interface Probe {
  readonly method: string;
  /** Behind the path of the catalog. */
  readonly target: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Probes for what `twins.ts` hides: the schema H, the table S:hidden, the column secret with its key and foreign key, rows of D. Each of them
 * means something else in the catalog that has the hidden parts.
 */
export function probes(): readonly Probe[] {
  return [...modelProbes(), ...readProbes(), ...changeProbes()];
}

const hiddenTables = ['/schema/S/table/hidden', '/schema/H/table/same', '/schema/H/table/inner'];
const hiddenElements = [
  '/schema/H',
  ...hiddenTables,
  '/schema/S/table/hidden/column/id',
  '/schema/S/table/hidden/key/id',
  '/schema/S/table/D/column/secret',
  '/schema/S/table/D/key/secret',
  '/schema/S/table/D/key/id,secret',
  '/schema/S/table/D/foreignkey/secret/reference/S:Cat/id',
  '/schema/S/table/D/foreignkey/val/reference/S:hidden/id',
  '/schema/S/table/hidden/foreignkey/d_id/reference/S:D/id',
];

function modelProbes(): readonly Probe[] {
  const parts = [
    '',
    '/comment',
    '/annotation',
    '/annotation/x',
    '/acl',
    '/acl/select',
    '/acl_binding',
    '/acl_binding/own',
  ];
  const lists = [
    '/schema',
    '/schema/S',
    '/schema/S/table',
    '/schema/S/table/D',
    '/schema/S/table/D/column',
    '/schema/S/table/D/key',
    '/schema/S/table/D/foreignkey',
    '/schema/S/table/D/foreignkey/c_id',
    '/schema/S/table/D/foreignkey/c_id/reference',
    '/schema/S/table/Cat',
    '/schema/S/table/Cat/key',
    '/schema/S/table/same',
    '/schema/H/table',
    '/schema/S/table/hidden/column',
    '/schema/S/table/hidden/key',
    '/schema/S/table/hidden/foreignkey',
    '',
    '/acl',
    '/annotation',
    '/history/,',
    '@{now}/schema',
    '@{now}/schema/S/table/hidden',
    '@{now}/schema/S/table/D',
  ];
  return [
    ...lists.map((target): Probe => ({ method: 'GET', target })),
    ...hiddenElements.flatMap((element) => parts.map((part): Probe => ({ method: 'GET', target: element + part }))),
    ...hiddenElements.flatMap((element): readonly Probe[] => [
      { method: 'DELETE', target: element },
      { method: 'PUT', target: element, body: {} },
      { method: 'PUT', target: `${element}/comment`, body: 'x', headers: { 'content-type': 'text/plain' } },
      { method: 'HEAD', target: element },
      { method: 'OPTIONS', target: element },
    ]),
    { method: 'POST', target: '/schema/H/table', body: { table_name: 'x' } },
    { method: 'POST', target: '/schema/S/table/hidden/column', body: { name: 'x', type: 'text' } },
    { method: 'PUT', target: '/schema/S/table/D/acl_binding/x', body: { types: ['select'], projection: 'secret' } },
  ];
}

function readProbes(): readonly Probe[] {
  const paths = [
    'S:hidden',
    'hidden',
    'H:same',
    'same',
    'inner',
    'S:D/hidden',
    'S:D/S:hidden',
    'S:D/H:inner',
    'S:D/Cat',
    'S:Cat/D',
    'S:Cat/S:D',
    'S:D/(secret)',
    'S:D/(c_id)',
    'S:D/(val)',
    'S:D/(id)=(S:hidden:d_id)',
    'S:D/(S:hidden:d_id)',
    'S:Cat/(S:D:secret)',
    'S:Cat/(id)=(S:D:secret)',
    'S:D/secret=1',
    'S:D/secret::null::',
    'S:D/!(secret=1)',
    'S:D/id=13',
    'S:D/id=any(12,13,14)',
    'S:D/member=carol',
    'S:D/member::null::',
    'S:D/*::regexp::carol',
    'S:D/*::regexp::hush',
    'S:D/*::ts::hush',
    'S:D/val=77',
    'S:D/RID={rid}',
    'A:=S:D/Cat/A:val=77/$A',
    'A:=S:D/left(c_id)=(S:Cat:id)/A:id=13',
    'S:D',
    'S:Cat',
  ];
  const endings: readonly ((path: string) => string)[] = [
    (path) => `/entity/${path}`,
    (path) => `/aggregate/${path}/n:=cnt(*)`,
    (path) => `/attributegroup/${path}/RCB;n:=cnt(*)`,
  ];
  const others = [
    '/attribute/S:D/secret',
    '/attribute/S:D/id,secret',
    '/attribute/S:D/id@sort(secret)',
    '/attribute/S:D/id,x:=secret@sort(x)',
    '/attribute/S:D/id@sort(id)@after(12)',
    '/attribute/S:D/id@sort(id::desc::)?limit=1',
    '/attribute/S:D/id,member@sort(member,id)@before(dave,0)?limit=3',
    '/attribute/S:D/*',
    '/attributegroup/S:D/secret;n:=cnt(*)',
    '/attributegroup/S:D/member;n:=cnt(*)@sort(member)',
    '/attributegroup/S:D/id;secret',
    '/attributegroup/S:D/id;r:=tcrs(RID)',
    '/attributegroup/S:D/bin(val;5;0;100);n:=cnt(*)',
    '/attributegroup/Cat:=S:Cat/S:D/Cat:id;n:=cnt(*)',
    '/aggregate/S:D/a:=max(val),b:=min(id),c:=array(member),d:=array(*)',
    '/aggregate/S:D/a:=cnt_d(secret)',
    '/aggregate/S:D/a:=sum(val),b:=avg(val)',
    '/entity/S:D?defaults=secret',
    '/entity/S:D?accept=csv',
    '/entity/S:D@sort(RID)?accept=csv',
    '/entity_rid/{rid}',
    '/entity_rid/{hiddenTableRow}',
    '@{now}/entity_rid/{rid}',
    '@{now}/entity/S:D',
    '@{now}/entity/S:hidden',
    '@{now}/attribute/S:D/secret',
    '@{now}/aggregate/S:D/n:=cnt(*)',
  ];
  return [...paths.flatMap((path) => endings.map((ending) => ending(path))), ...others].map((target) => ({
    method: 'GET',
    target,
  }));
}

function changeProbes(): readonly Probe[] {
  const csv = { 'content-type': 'text/csv' };
  return [
    { method: 'POST', target: '/entity/S:hidden', body: [{ id: 1 }] },
    { method: 'POST', target: '/entity/H:inner', body: [{ id: 1 }] },
    { method: 'POST', target: '/entity/S:D', body: [{ id: 90, secret: 1 }] },
    { method: 'POST', target: '/entity/S:D?defaults=secret', body: [{ id: 90 }] },
    { method: 'POST', target: '/entity/S:D?nondefaults=secret', body: [{ id: 90 }] },
    { method: 'POST', target: '/entity/S:D', body: 'id,name,member,c_id,val,secret\n90,,,,,\n', headers: csv },
    { method: 'PUT', target: '/entity/S:hidden', body: [{ id: 1 }] },
    { method: 'PUT', target: '/entity/S:D', body: [{ id: 13, name: 'probe' }] },
    { method: 'PUT', target: '/entity/S:D', body: [{ id: 12, name: 'probe', member: 'bob', secret: 4 }] },
    { method: 'PUT', target: '/entity/S:D', body: 'id,secret\n12,4\n', headers: csv },
    { method: 'PUT', target: '/attributegroup/S:D/id;name', body: [{ id: 13, name: 'probe' }] },
    {
      method: 'PUT',
      target: '/attributegroup/S:D/id;name',
      body: [
        { id: 12, name: 'mine' },
        { id: 13, name: 'probe' },
      ],
    },
    { method: 'PUT', target: '/attributegroup/S:D/member;name', body: [{ member: 'carol', name: 'probe' }] },
    { method: 'PUT', target: '/attributegroup/S:D/secret;name', body: [{ secret: 4, name: 'probe' }] },
    { method: 'PUT', target: '/attributegroup/S:D/id;secret', body: [{ id: 12, secret: 4 }] },
    { method: 'PUT', target: '/attributegroup/S:D/val;name', body: [{ val: 77, name: 'probe' }] },
    { method: 'PUT', target: '/attributegroup/S:D/id;name', body: [{ id: 12, name: 'again' }] },
    { method: 'DELETE', target: '/entity/S:hidden' },
    { method: 'DELETE', target: '/entity/S:D/id=13' },
    { method: 'DELETE', target: '/entity/S:D/secret=4' },
    { method: 'DELETE', target: '/entity/S:D/S:hidden' },
    { method: 'DELETE', target: '/attribute/S:D/id=13/name' },
    { method: 'DELETE', target: '/attribute/S:D/id=12/name' },
    { method: 'DELETE', target: '/attribute/S:D/id=12/secret' },
    { method: 'DELETE', target: '/attribute/S:D/id=any(12,13)/val' },
    { method: 'DELETE', target: '/attribute/S:D/val=77/name' },
  ];
}
