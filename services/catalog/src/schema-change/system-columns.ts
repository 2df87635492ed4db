import { AppError } from '@holdfast/http-kit';
import { type ColumnType, columnType, typeName } from '../model/column-types.js';
import { type SystemColumn, systemColumnOf, systemColumns } from '../model/model.js';
import type { ColumnDefinition, KeyDefinition } from './definitions.js';
import { NO_BINDINGS } from './parse-bindings.js';

/** Type of each system column, and whether it may be null (spec/catalog-model.md 10). */
const rules: Readonly<Record<SystemColumn, { readonly type: ColumnType; readonly nullok: boolean }>> = {
  RID: { type: required('rid'), nullok: false },
  RCT: { type: required('rct'), nullok: false },
  RMT: { type: required('rmt'), nullok: false },
  RCB: { type: required('rcb'), nullok: true },
  RMB: { type: required('rmb'), nullok: true },
};

/**
 * A table has all five system columns and a key on `RID`: they are added to a document that has none of them, and checked in one that
 * has them all.
 * @throws {AppError} `bad_json` for a document with some of them, or with others than these
 */
export function withSystemColumns(
  columns: readonly ColumnDefinition[],
  keys: readonly KeyDefinition[],
  what: string,
): { readonly columns: readonly ColumnDefinition[]; readonly keys: readonly KeyDefinition[] } {
  const present = columns.filter(({ name }) => systemColumnOf(name) !== null);
  const hasRidKey = keys.some(({ columns: members }) => members.length === 1 && members[0] === 'RID');
  if (present.length === 0) {
    const added = systemColumns.map((name) => systemColumn(name));
    return { columns: [...added, ...columns], keys: hasRidKey ? keys : [ridKey, ...keys] };
  }
  if (present.length < systemColumns.length)
    throw new AppError('bad_json', `${what}: give all of ${systemColumns.join(', ')}, or none: then they are added.`);
  for (const column of present) requireRule(column, what);
  if (!hasRidKey) throw new AppError('bad_json', `${what}: a key on RID alone is needed.`);
  return { columns, keys };
}

/** Whether a system column may be null. */
export function mayBeNull(name: SystemColumn): boolean {
  return rules[name].nullok;
}

const ridKey: KeyDefinition = { constraintName: null, columns: ['RID'], comment: null, annotations: {} };

function systemColumn(name: SystemColumn): ColumnDefinition {
  return { name, ...rules[name], default: null, comment: null, annotations: {}, acls: {}, bindings: NO_BINDINGS };
}

function requireRule(column: ColumnDefinition, what: string): void {
  const name = systemColumnOf(column.name);
  if (name === null) return;
  const rule = rules[name];
  if (typeName(column.type) !== typeName(rule.type))
    throw new AppError('bad_json', `${what}: the column ${name} must have the type ${typeName(rule.type)}.`);
  if (!rule.nullok && column.nullok)
    throw new AppError('bad_json', `${what}: the column ${name} must have nullok false.`);
}

function required(name: string): ColumnType {
  const type = columnType(name);
  if (type === null) throw new TypeError(`there is no type ${name}`);
  return type;
}
