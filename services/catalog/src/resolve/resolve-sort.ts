import { AppError } from '@holdfast/http-kit';
import type { PageKey, Sort } from '@holdfast/path-grammar';
import { type ColumnType, typeName } from '../model/column-types.js';
import { readArrayLiteral, readJsonLiteral, readLiteral } from '../model/literal.js';
import { outputType, sortable } from './output-type.js';
import type { Output, PageValue, ResolvedSort } from './resolved.js';

/**
 * Resolves sort keys to output columns and page keys to values of their types (spec/catalog-data.md 3.9).
 * @param unknownKey how an unknown key is refused: 409 on entity, 400 elsewhere
 */
export function resolveSort(
  sort: Sort,
  outputs: readonly Output[],
  unknownKey: 'unknown_element' | 'bad_syntax',
): ResolvedSort {
  const keys = sort.keys.map(({ output, descending }) => {
    const index = outputs.findIndex(({ name }) => name === output.text);
    const found = outputs[index];
    if (found === undefined)
      throw new AppError(unknownKey, `There is no output column ${JSON.stringify(output.text)} to sort by.`);
    const type = outputType(found.expression);
    if (!sortable(type))
      throw new AppError(
        'not_supported_on_type',
        `Rows cannot be sorted by ${JSON.stringify(output.text)}: type ${typeName(type)} has no order.`,
      );
    return { output: index, descending, type };
  });
  const types = keys.map(({ type }) => type);
  return {
    keys: keys.map(({ output, descending }) => ({ output, descending })),
    after: sort.after === null ? null : resolvePageKey(sort.after, types),
    before: sort.before === null ? null : resolvePageKey(sort.before, types),
  };
}

function resolvePageKey(key: PageKey, types: readonly ColumnType[]): readonly PageValue[] {
  return key.values.map((value, index) => {
    const type = types[index];
    if (type === undefined) throw new AppError('bad_syntax', 'A page key needs one value for each sort key.');
    if (value.kind === 'null') return null;
    if (type.kind === 'array') return readArrayLiteral(value.text, type.element);
    return type.storage === 'jsonb' ? readJsonLiteral(value.text) : readLiteral(value.text, type);
  });
}
