import { AppError } from '@holdfast/http-kit';
import type { Name } from '@holdfast/path-grammar';
import type { Column, Table } from '../model/model.js';
import type { ColumnRef, Instance, StarRef } from './resolved.js';
import { quoteName, type VisibleModel } from './visible-model.js';

/** Where a column name stands; it decides between 400 and 409 (spec/catalog-data.md 2.3). */
export type Place = 'filter' | 'projection';

/** The instances a path has so far, while it is being resolved. */
export class PathScope {
  readonly visible: VisibleModel;
  readonly instances: Instance[] = [];
  readonly #aliases = new Map<string, Instance>();
  #context: Instance;

  constructor(visible: VisibleModel, root: Table, alias: string | null) {
    this.visible = visible;
    this.#context = this.add(root, alias);
  }

  get context(): Instance {
    return this.#context;
  }

  /** Adds an occurrence of a table and makes it the context. */
  add(table: Table, alias: string | null): Instance {
    if (alias !== null && this.#aliases.has(alias)) {
      throw new AppError(
        'bad_syntax',
        `The alias ${quoteName([alias])} is bound twice; give each instance a name of its own.`,
      );
    }
    const instance: Instance = { index: this.instances.length, table, alias };
    this.instances.push(instance);
    if (alias !== null) this.#aliases.set(alias, instance);
    this.#context = instance;
    return instance;
  }

  /** The instance an alias stands for. */
  aliased(alias: string): Instance | null {
    return this.#aliases.get(alias) ?? null;
  }

  /** `$alias` */
  reset(alias: string): void {
    const instance = this.aliased(alias);
    if (instance === null)
      throw new AppError('bad_syntax', `There is no alias ${quoteName([alias])} in the path to return to with "$".`);
    this.#context = instance;
  }

  /** A column name of a filter or projection. */
  column(name: Name, place: Place): ColumnRef | StarRef {
    const { instance, columnName } = this.#qualify(name, place);
    const column = this.visible.column(instance.table, columnName);
    if (column !== null) return { kind: 'column', instance, column };
    if (columnName === '*') return { kind: 'star', instance, columns: this.visible.columns(instance.table) };
    throw noColumn(instance.table, columnName);
  }

  /** A column name where a star has no meaning. */
  plainColumn(name: Name, place: Place, use: string): ColumnRef {
    const ref = this.column(name, place);
    if (ref.kind === 'star') throw new AppError('bad_syntax', `"*" cannot be used with ${use}; name a column.`);
    return ref;
  }

  #qualify(name: Name, place: Place): { readonly instance: Instance; readonly columnName: string } {
    const [first = '', second, ...more] = name.parts;
    if (second === undefined) return { instance: this.#context, columnName: first };
    if (more.length > 1) throw new AppError('bad_syntax', `${quoteName(name.parts)} has too many parts for a column.`);
    const instance = more.length === 0 ? this.aliased(first) : null;
    if (instance !== null) return { instance, columnName: second };
    const code = place === 'filter' ? 'unknown_element' : 'bad_syntax';
    throw new AppError(
      code,
      `${quoteName(name.parts.slice(0, -1))} is not an alias of the path; columns are named column or alias:column.`,
    );
  }
}

export function noColumn(table: Table, name: string): AppError {
  return new AppError(
    'unknown_element',
    `Table ${quoteName([table.parent.name, table.name])} has no column ${quoteName([name])}.`,
  );
}

/** Columns as references of one instance. */
export function refs(instance: Instance, columns: readonly Column[]): readonly ColumnRef[] {
  return columns.map((column) => ({ kind: 'column', instance, column }));
}
