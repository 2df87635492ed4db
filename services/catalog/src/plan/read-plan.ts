import type { DataOptions } from '@holdfast/path-grammar';
import type { TabularFormat } from '@holdfast/tabular';
import type { AuthorizedRead } from '../authorize/authorize-read.js';
import type { PageValue, ResolvedPath, ResolvedRead } from '../resolve/resolved.js';

/** A read as it is to be carried out: data, no SQL yet. */
export interface ReadPlan {
  readonly authorized: AuthorizedRead;
  /**
   * `rows`: joined rows are entities already; `entities`: one row an entity; `groups`: one row a key tuple; `single`: one row.
   */
  readonly shape: 'rows' | 'entities' | 'groups' | 'single';
  readonly page: Page;
  readonly format: TabularFormat;
  /** Arrays in CSV as JSON text. */
  readonly jsonArrays: boolean;
}

/** Which part of the result, in which order. */
export interface Page {
  readonly order: readonly OrderKey[];
  readonly after: readonly PageValue[] | null;
  readonly before: readonly PageValue[] | null;
  readonly limit: bigint | null;
  /** The last rows of the range instead of the first: `@before` alone (spec/catalog-data.md 3.9). */
  readonly fromEnd: boolean;
}

/** A sort key: place of the output column, direction. NULL sorts last ascending, first descending. */
export interface OrderKey {
  readonly output: number;
  readonly descending: boolean;
}

/** Adds page and format to a read. */
export function planRead(
  authorized: AuthorizedRead,
  format: TabularFormat,
  options: Pick<DataOptions, 'limit' | 'jsonArrays'>,
): ReadPlan {
  const { kind, path, sort } = authorized.read;
  const single = kind === 'attributegroup' && groupsAreRows(authorized.read);
  const after = sort?.after ?? null;
  const before = sort?.before ?? null;
  return {
    authorized: single ? { ...authorized, read: withoutExamples(authorized.read) } : authorized,
    shape:
      kind === 'aggregate'
        ? 'single'
        : kind === 'attributegroup' && !single
          ? 'groups'
          : single || rowsAreEntities(path)
            ? 'rows'
            : 'entities',
    page: { order: sort?.keys ?? [], after, before, limit: options.limit, fromEnd: before !== null && after === null },
    format,
    jsonArrays: options.jsonArrays,
  };
}

/**
 * Whether no entity of the context can occur twice: the context is the root, and no join multiplies its rows or brings rows of
 * its own. Saves the de-duplication of a path such as `child/parent/$child`.
 */
function rowsAreEntities(path: ResolvedPath): boolean {
  return path.context === path.root && rowsAreRootRows(path);
}

function rowsAreRootRows({ joins }: ResolvedPath): boolean {
  return joins.every(({ type, toOne }) => toOne && (type === 'inner' || type === 'left'));
}

/**
 * Whether each group is one joined row, since its keys hold the RID of rows that occur once: then an example from the group is its value.
 * Saves the grouping of all rows for the page of `…/RID;r:=trs(RID)` that is asked for.
 */
function groupsAreRows({ keys, outputs, path }: ResolvedRead): boolean {
  const { table } = path.root;
  if (table.relation !== 'table' || !table.hasSystemColumns) return false;
  const hasRid = keys.some(
    ({ expression }) =>
      expression.kind === 'column' && expression.instance === path.root && expression.column.system === 'RID',
  );
  return hasRid && rowsAreRootRows(path) && outputs.every(({ expression }) => expression.kind === 'example');
}

function withoutExamples(read: ResolvedRead): ResolvedRead {
  const outputs = read.outputs.map(({ name, expression }) => ({
    name,
    expression: expression.kind === 'example' ? expression.of : expression,
  }));
  return { ...read, outputs };
}
