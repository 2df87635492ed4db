import { type SystemColumn, systemColumns } from './model.js';

/** A column, as far as the rules for system columns go. */
export interface PlainColumn {
  readonly name: string;
  /** Canonical name of its type. */
  readonly type: string;
  readonly nullok: boolean;
}

/** Type of each system column, and whether it must not be null (spec/catalog-data.md 6.1). */
const rules: Readonly<Record<SystemColumn, { readonly type: string; readonly solid: boolean }>> = {
  RID: { type: 'rid', solid: true },
  RCT: { type: 'rct', solid: true },
  RMT: { type: 'rmt', solid: true },
  RCB: { type: 'rcb', solid: false },
  RMB: { type: 'rmb', solid: false },
};

/**
 * What a table made by hand lacks of the five system columns and the key on RID, in words; nothing: the service can keep its promises
 * about the rows, and writes them.
 * @param keys names of the columns of each key
 */
export function missingSystemParts(
  columns: readonly PlainColumn[],
  keys: readonly (readonly string[])[],
): readonly string[] {
  const wrong = systemColumns.flatMap((name): readonly string[] => {
    const { type, solid } = rules[name];
    const column = columns.find((candidate) => candidate.name === name);
    if (column?.type === type && !(solid && column.nullok)) return [];
    return [`column ${name} of type _catalog.${type}${solid ? ' not null' : ''}`];
  });
  const hasKey = keys.some((members) => members.length === 1 && members[0] === 'RID');
  return hasKey ? wrong : [...wrong, 'a unique constraint on RID'];
}
