import type { RightsEvaluator } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import type { Name } from '@holdfast/path-grammar';
import type { Column, ForeignKey, Model, Table } from '../model/model.js';

/**
 * The model as one client sees it: what it may not enumerate behaves exactly as if it were not there
 * (spec/catalog-access.md 4), in every look-up of this stage.
 */
export interface VisibleModel {
  /** `T` or `S:T` (spec/catalog-data.md 2.1). */
  table(name: Name): Table;
  /** Like {@link table}, but null when there is no such table. */
  findTable(parts: readonly string[]): Table | null;
  column(table: Table, name: string): Column | null;
  columns(table: Table): readonly Column[];
  /** Foreign keys held by a table, and those that refer to it. */
  foreignKeysOf(table: Table): { readonly outbound: readonly ForeignKey[]; readonly inbound: readonly ForeignKey[] };
}

/** Looks through the eyes of a client. */
export function visibleModel(model: Model, rights: RightsEvaluator): VisibleModel {
  const seen = (element: Table | Column | ForeignKey): boolean => rights.always(element, 'enumerate');
  const byName = (parts: readonly string[]): readonly Table[] => {
    const [first = '', second] = parts;
    if (second !== undefined) {
      const table = model.schemas.get(first)?.tables.get(second);
      return table !== undefined && seen(table) ? [table] : [];
    }
    return [...model.schemas.values()].flatMap((schema) => {
      const table = schema.tables.get(first);
      return table !== undefined && seen(table) ? [table] : [];
    });
  };
  return {
    table: (name) => {
      if (name.parts.length > 2) {
        throw new AppError(
          'bad_syntax',
          `${quoteName(name.parts)} has too many parts for a table; write table or schema:table.`,
        );
      }
      const [found, ...others] = byName(name.parts);
      if (found === undefined) throw new AppError('unknown_element', `There is no table ${quoteName(name.parts)}.`);
      if (others.length > 0) {
        throw new AppError(
          'ambiguous_name',
          `Several schemas have a table ${quoteName(name.parts)}; write schema:table.`,
        );
      }
      return found;
    },
    findTable: (parts) => {
      const found = parts.length > 2 ? [] : byName(parts);
      return found.length === 1 ? (found[0] ?? null) : null;
    },
    column: (table, name) => {
      const column = table.columnsByName.get(name);
      return column !== undefined && seen(column) ? column : null;
    },
    columns: (table) => table.columns.filter(seen),
    foreignKeysOf: (table) => ({
      outbound: table.foreignKeys.filter((key) => seen(key) && seen(key.references.parent)),
      inbound: table.referencedBy.filter((key) => seen(key) && seen(key.parent)),
    }),
  };
}

/** A name as the client wrote it, for messages. */
export function quoteName(parts: readonly string[]): string {
  return JSON.stringify(parts.join(':').slice(0, 200));
}
