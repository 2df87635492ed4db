import type { Chooser } from './chooser.js';
import type { Row } from './match.js';
import { type Policy, type ReferenceName, referenceColumns, userColumns } from './policy.js';

/** A request for rows, as data: rendered as a URL for the service, evaluated as it stands by the naive evaluator. */
export type AccessRequest =
  | { readonly kind: 'entity'; readonly path: PathRequest }
  | {
      readonly kind: 'attribute';
      readonly path: PathRequest;
      readonly columns: readonly string[];
      readonly page: PageRequest | null;
    }
  | {
      readonly kind: 'group';
      readonly path: PathRequest;
      readonly keys: readonly string[];
      readonly counted: string | null;
    }
  | { readonly kind: 'rights'; readonly path: PathRequest; readonly detailed: boolean }
  | { readonly kind: 'aggregate'; readonly path: PathRequest; readonly counted: string; readonly highest: string }
  | { readonly kind: 'rid'; readonly rid: string }
  | {
      readonly kind: 'post';
      readonly table: number;
      readonly rows: readonly Row[];
      readonly defaults: readonly string[];
    }
  | { readonly kind: 'put'; readonly table: number; readonly rows: readonly Row[] }
  | {
      readonly kind: 'update';
      readonly table: number;
      readonly keys: readonly string[];
      readonly targets: readonly string[];
      readonly rows: readonly Row[];
    }
  | { readonly kind: 'delete'; readonly path: PathRequest }
  | { readonly kind: 'clear'; readonly path: PathRequest; readonly columns: readonly string[] };

export interface PathRequest {
  readonly root: number;
  readonly filter: PathFilter | null;
  readonly link: PathLink | null;
  /** On the table that the link leads to. */
  readonly linkFilter: PathFilter | null;
}

export interface PathFilter {
  /** `*` looks at all columns. */
  readonly column: string;
  readonly operator: string;
  readonly operand: string | number | null;
  readonly negate: boolean;
}

export interface PathLink {
  readonly direction: 'outbound' | 'inbound';
  readonly holder: number;
  readonly reference: ReferenceName;
  readonly to: number;
}

export interface PageRequest {
  readonly sort: readonly string[];
  readonly after: readonly (string | number | null)[] | null;
  readonly limit: number | null;
}

/** Method, target behind the catalog and body of a request. */
export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly target: string;
  readonly body?: readonly object[];
}

export function sentRequest(request: AccessRequest, schema: string): SentRequest {
  const at = (table: number): string => `${schema}:t${table}`;
  const pathOf = (path: PathRequest): string => pathText(path, schema);
  switch (request.kind) {
    case 'entity':
      return { method: 'GET', target: `entity/${pathOf(request.path)}` };
    case 'attribute':
      return {
        method: 'GET',
        target: `attribute/${pathOf(request.path)}/${request.columns.join(',')}${pageText(request.page)}`,
      };
    case 'group': {
      const counts = request.counted === null ? '' : `,m:=cnt(${request.counted})`;
      return {
        method: 'GET',
        target: `attributegroup/${pathOf(request.path)}/${request.keys.join(',')};c:=cnt(*)${counts}`,
      };
    }
    case 'rights':
      return {
        method: 'GET',
        target: `attributegroup/${pathOf(request.path)}/RID;r:=${request.detailed ? 'tcrs' : 'trs'}(RID)`,
      };
    case 'aggregate':
      return {
        method: 'GET',
        target: `aggregate/${pathOf(request.path)}/a:=cnt(*),b:=cnt_d(${request.counted}),h:=max(${request.highest})`,
      };
    case 'rid':
      return { method: 'GET', target: `entity_rid/${request.rid}` };
    case 'post': {
      const defaults = request.defaults.length === 0 ? '' : `?defaults=${request.defaults.join(',')}`;
      return { method: 'POST', target: `entity/${at(request.table)}${defaults}`, body: request.rows };
    }
    case 'put':
      return { method: 'PUT', target: `entity/${at(request.table)}`, body: request.rows };
    case 'update':
      return {
        method: 'PUT',
        target: `attributegroup/${at(request.table)}/${request.keys.map((key) => `k_${key}:=${key}`).join(',')};${request.targets.join(',')}`,
        body: request.rows,
      };
    case 'delete':
      return { method: 'DELETE', target: `entity/${pathOf(request.path)}` };
    case 'clear':
      return { method: 'DELETE', target: `attribute/${pathOf(request.path)}/${request.columns.join(',')}` };
    default:
      return request satisfies never;
  }
}

function pathText({ root, filter, link, linkFilter }: PathRequest, schema: string): string {
  const parts = [`${schema}:t${root}`];
  if (filter !== null) parts.push(filterText(filter));
  if (link !== null) {
    const columns = referenceColumns[link.reference];
    const outside = columns.map((column) => `${schema}:t${link.holder}:${column}`);
    parts.push(`(${(link.direction === 'outbound' ? columns : outside).join(',')})`);
  }
  if (linkFilter !== null) parts.push(filterText(linkFilter));
  return parts.join('/');
}

function filterText({ column, operator, operand, negate }: PathFilter): string {
  const word = operator === '=' ? '=' : `::${operator}::`;
  const text = `${column}${word}${operand ?? ''}`;
  return negate ? `!(${text})` : text;
}

function pageText(page: PageRequest | null): string {
  if (page === null) return '';
  const { sort, after, limit } = page;
  const keys = after === null ? '' : `@after(${after.map((key) => key ?? '::null::').join(',')})`;
  return `@sort(${sort.join(',')})${keys}${limit === null ? '' : `?limit=${limit}`}`;
}

/** @param rids of rows that are or were there */
export function randomRequest(choose: Chooser, policy: Policy, rids: readonly string[]): AccessRequest {
  const table = choose.below(policy.tables.length);
  const path = randomPath(choose, policy);
  switch (
    choose.pick([
      'entity',
      'attribute',
      'group',
      'rights',
      'aggregate',
      'rid',
      'post',
      'post',
      'put',
      'put',
      'update',
      'update',
      'delete',
      'clear',
    ] as const)
  ) {
    case 'entity':
      return { kind: 'entity', path };
    case 'attribute': {
      const columns = someColumns(choose, [...userColumns, 'RID', 'RCB'], 3);
      return { kind: 'attribute', path, columns, page: choose.chance(50) ? randomPage(choose, columns) : null };
    }
    case 'group':
      return {
        kind: 'group',
        path,
        keys: someColumns(choose, ['own', 'n', 'f', 'g', 'k', 'RCB'], 2),
        counted: choose.chance(50) ? choose.pick(userColumns) : null,
      };
    case 'rights':
      return { kind: 'rights', path, detailed: choose.chance(70) };
    case 'aggregate':
      return {
        kind: 'aggregate',
        path,
        counted: choose.pick(['id', 'n', 'own', 'f']),
        highest: choose.pick(['n', 'k', 'g']),
      };
    case 'rid':
      return { kind: 'rid', rid: choose.pick([...rids, 'ZZZZ-ZZZZ']) };
    case 'post': {
      const rows = randomRows(choose, 2, [10, 11, 12, 13, 1]);
      return {
        kind: 'post',
        table,
        rows,
        defaults: choose.chance(40) ? someColumns(choose, ['own', 'n', 'f', 'g', 'acl'], 3) : [],
      };
    }
    case 'put':
      return {
        kind: 'put',
        table,
        // a key that is masked is found by NULL
        rows: randomRows(choose, 2, [0, 1, 2, 3, 4, 5, 14, 15]).map((row) =>
          choose.chance(10) ? { ...row, k: null } : row,
        ),
      };
    case 'update': {
      const keys = choose.pick([['id'], ['id'], ['k', 'id'], ['own'], ['n'], ['k']]);
      const targets = someColumns(choose, ['own', 'acl', 'n', 'f', 'g', 'gk'], 2);
      const rows = randomRows(choose, keys.includes('id') ? 2 : 1, [0, 1, 2, 3, 4, 5]);
      const renamed = rows.map((row) =>
        Object.fromEntries([
          ...keys.map((key) => [`k_${key}`, row[key] ?? null] as const),
          ...targets.map((target) => [target, row[target] ?? null] as const),
        ]),
      );
      return { kind: 'update', table, keys, targets, rows: renamed };
    }
    case 'delete':
      return { kind: 'delete', path: randomPath(choose, policy, 90) };
    case 'clear':
      return {
        kind: 'clear',
        path: randomPath(choose, policy, 80),
        columns: someColumns(choose, ['own', 'acl', 'n', 'f', 'g'], 2),
      };
    default:
      throw new Error('There is no such kind.');
  }
}

/** Rows with different ids of these. */
export function randomRows(choose: Chooser, most: number, ids: readonly number[]): readonly Row[] {
  const count = 1 + choose.below(most);
  const chosen = new Set(Array.from({ length: count }, () => choose.pick(ids)));
  return [...chosen].map((id) => randomRow(choose, id));
}

const roles = ['*', 'bob', 'carol', 'g1', 'g2', 'nobody'];

/** A row whose `k` mostly follows from its id, so that references hit. */
export function randomRow(choose: Chooser, id: number): Row {
  const known = (): number => choose.below(6);
  const g = choose.chance(60) ? known() : null;
  return {
    id,
    k: choose.chance(92) ? keyFor(id) : choose.below(3),
    own: choose.chance(85) ? choose.pick(roles) : null,
    acl: choose.chance(85) ? Array.from({ length: choose.below(3) }, () => choose.pick(roles)) : null,
    n: choose.chance(80) ? choose.below(6) : null,
    f: choose.chance(70) ? (choose.chance(95) ? known() : 99) : null,
    g,
    gk: choose.chance(85) ? (choose.chance(90) ? keyFor(g ?? 0) : choose.below(3)) : null,
  };
}

export function keyFor(id: number): number {
  return id % 3;
}

function someColumns(choose: Chooser, columns: readonly string[], most: number): readonly string[] {
  return [...new Set(Array.from({ length: 1 + choose.below(most) }, () => choose.pick(columns)))];
}

function randomPath(choose: Chooser, policy: Policy, filtered = 45): PathRequest {
  const root = choose.below(policy.tables.length);
  const link = choose.chance(30) ? randomLink(choose, policy, root) : null;
  return {
    root,
    filter: choose.chance(filtered) ? randomFilter(choose) : null,
    link,
    linkFilter: link !== null && choose.chance(30) ? randomFilter(choose) : null,
  };
}

function randomLink(choose: Chooser, policy: Policy, root: number): PathLink {
  const reference = choose.pick(['f', 'g'] as const);
  const to = policy.tables[root]?.references[reference].to ?? 0;
  const holders = policy.tables.flatMap((table, index) => (table.references[reference].to === root ? [index] : []));
  if (holders.length === 0 || choose.chance(50)) return { direction: 'outbound', holder: root, reference, to };
  const holder = choose.pick(holders);
  return { direction: 'inbound', holder, reference, to: holder };
}

function randomFilter(choose: Chooser): PathFilter {
  const negate = choose.chance(20);
  const column = choose.pick(['id', 'id', 'n', 'n', 'k', 'own', 'own', 'acl', 'f', '*']);
  if (column === '*') return { column, operator: 'regexp', operand: choose.pick(['bob', 'carol', '3']), negate };
  if (column === 'own' || column === 'acl') {
    const operator = choose.pick(['=', 'null', 'regexp']);
    return { column, operator, operand: operator === 'null' ? null : choose.pick(['bob', 'carol', 'g1']), negate };
  }
  const operator = choose.pick(['=', '=', 'gt', 'leq', 'null']);
  return { column, operator, operand: operator === 'null' ? null : choose.below(6), negate };
}

function randomPage(choose: Chooser, columns: readonly string[]): PageRequest | null {
  // text is sorted by the rules of the database's language, arrays by their own
  const sortable = columns.filter((column) => !['own', 'acl', 'RID', 'RCB'].includes(column));
  if (sortable.length === 0) return null;
  const after = choose.chance(50) ? sortable.map(() => (choose.chance(80) ? choose.below(6) : null)) : null;
  return { sort: sortable, after, limit: choose.chance(50) ? 1 + choose.below(3) : null };
}
