import fc from 'fast-check';
import type {
  AggregateItem,
  AttributeItem,
  BinItem,
  ColumnItem,
  Condition,
  DataRequest,
  DataResource,
  FunctionItem,
  GroupItem,
  KeyItem,
  Literal,
  Name,
  PageKey,
  Path,
  PathElement,
  QueryParams,
  RightsItem,
  Sort,
  Word,
} from '../src/index.js';

/** Arbitrary syntax trees with all constructs and hostile texts; every offset is 0. */

const HOSTILE = [
  '*',
  '.',
  '..',
  '$',
  '$$',
  "'",
  '"',
  '\\',
  '%',
  '%2F',
  '/',
  '//',
  '?',
  '#',
  '+',
  ' ',
  '::null::',
  ':=',
  ':',
  ',',
  ';',
  '&',
  '!',
  '(',
  ')',
  '@sort(',
  'left',
  'right',
  'full',
  'any',
  'all',
  'null',
  'bin',
  'cnt',
  'trs',
  'sort',
  'desc',
  'entity',
  '__proto__',
  'constructor',
  'offset',
  '\u05d0\u05d1',
  '\u202eabc',
  '\u{1F40A}',
  '\u00e9',
  'e\u0301',
  '\u0001',
  '\n',
  '\ufeff',
  'a\u0300/\u{10FFFF}',
];

const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter((value) => !value.includes('\0')),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }),
  fc.stringMatching(/^[A-Za-z_]{1,6}$/),
);
const offset = fc.constant(0);
const some = { minLength: 1, maxLength: 3 };

const word: fc.Arbitrary<Word> = fc.record({ text, offset });
const optionalWord = fc.option(word);
const name: fc.Arbitrary<Name> = fc.record({ kind: fc.constant('name'), parts: fc.array(text, some), offset });
const literal: fc.Arbitrary<Literal> = fc.record({
  kind: fc.constant('literal'),
  text: fc.oneof(fc.constant(''), text),
  offset,
});

const nullTest: fc.Arbitrary<Condition> = fc.record({ kind: fc.constant('null-test'), column: name });
const comparison: fc.Arbitrary<Condition> = fc.record({
  kind: fc.constant('comparison'),
  column: name,
  operator: fc.constantFrom('=', 'lt', 'leq', 'gt', 'geq', 'regexp', 'ciregexp', 'ts'),
  operand: fc.oneof(
    literal,
    fc.record({
      kind: fc.constant('value-list' as const),
      quantifier: fc.constantFrom('any' as const, 'all' as const),
      values: fc.array(literal, some),
      offset,
    }),
  ),
});

const { condition } = fc.letrec<{ condition: Condition }>((tie) => {
  const operands = fc.array(tie('condition'), { minLength: 2, maxLength: 3 });
  return {
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(comparison, nullTest),
      fc.record({ kind: fc.constant('or'), operands }),
      fc.record({ kind: fc.constant('and'), operands }),
      fc.record({ kind: fc.constant('not'), operand: tie('condition') }),
    ),
  };
});

const join = fc.constantFrom('inner' as const, 'left' as const, 'right' as const, 'full' as const);
const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc.record({ kind: fc.constant('table-link' as const), alias: optionalWord, table: name }),
  fc.record({
    kind: fc.constant('endpoint-link' as const),
    alias: optionalWord,
    join,
    columns: fc.array(name, some),
    offset,
  }),
  fc.tuple(optionalWord, join, fc.array(fc.tuple(name, name), some)).map(([alias, joinType, pairs]) => ({
    kind: 'mapping-link' as const,
    alias,
    join: joinType,
    left: pairs.map(([left]) => left),
    right: pairs.map(([, right]) => right),
    offset: 0,
  })),
  fc.record({ kind: fc.constant('filter' as const), condition }),
  fc.record({ kind: fc.constant('reset' as const), alias: word }),
);
const path: fc.Arbitrary<Path> = fc.record({
  root: fc.record({ kind: fc.constant('table'), alias: optionalWord, name }),
  elements: fc.array(element, { maxLength: 4 }),
});

const columnItem: fc.Arbitrary<ColumnItem> = fc.record({
  kind: fc.constant('column'),
  output: optionalWord,
  column: name,
});
const binItem: fc.Arbitrary<BinItem> = fc.record({
  kind: fc.constant('bin'),
  output: optionalWord,
  column: name,
  count: literal,
  low: literal,
  high: literal,
  offset,
});
const rightsItem: fc.Arbitrary<RightsItem> = fc.record({
  kind: fc.constant('rights'),
  output: optionalWord,
  function: fc.constantFrom('trs', 'tcrs'),
  column: name,
  offset,
});
const functionItem: fc.Arbitrary<FunctionItem> = fc.record({
  kind: fc.constant('function'),
  output: word,
  function: fc.constantFrom('cnt', 'cnt_d', 'min', 'max', 'avg', 'sum', 'array', 'array_d'),
  column: name,
  offset,
});

const attributeItem: fc.Arbitrary<AttributeItem> = fc.oneof(columnItem, binItem, rightsItem);
const keyItem: fc.Arbitrary<KeyItem> = fc.oneof(columnItem, binItem);
const groupItem: fc.Arbitrary<GroupItem> = fc.oneof(columnItem, binItem, rightsItem, functionItem);
const aggregateItem: fc.Arbitrary<AggregateItem> = fc.oneof(columnItem, binItem, functionItem);

const sort: fc.Arbitrary<Sort | null> = fc.option(
  fc
    .array(fc.record({ output: word, descending: fc.boolean() }), some)
    .chain((keys) =>
      fc.record({ keys: fc.constant(keys), after: pageKey(keys.length), before: pageKey(keys.length), offset }),
    ),
);

function pageKey(width: number): fc.Arbitrary<PageKey | null> {
  const value = fc.oneof(literal, fc.record({ kind: fc.constant('null' as const), offset }));
  return fc.option(fc.record({ values: fc.array(value, { minLength: width, maxLength: width }), offset }));
}

export const resource: fc.Arbitrary<DataResource> = fc.oneof(
  fc.record({ kind: fc.constant('entity' as const), path, sort }),
  fc.record({ kind: fc.constant('attribute' as const), path, projection: fc.array(attributeItem, some), sort }),
  fc.record({
    kind: fc.constant('attributegroup' as const),
    path,
    keys: fc.array(keyItem, some),
    projection: fc.array(groupItem, { maxLength: 3 }),
    sort,
  }),
  fc.record({ kind: fc.constant('aggregate' as const), path, projection: fc.array(aggregateItem, some) }),
  fc.record({ kind: fc.constant('entity_rid' as const), rid: word }),
);

const query: fc.Arbitrary<QueryParams> = fc.array(fc.record({ name: word, values: fc.array(word, { maxLength: 3 }) }), {
  maxLength: 3,
});

export const request: fc.Arbitrary<DataRequest> = fc.record({ resource, query });
