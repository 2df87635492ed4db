import type { LiteralValue } from '../model/literal.js';
import type { Column, Table } from '../model/model.js';

/** One occurrence of a table in a path. */
export interface Instance {
  /** Place in the path, from 0 for the root. */
  readonly index: number;
  readonly table: Table;
  readonly alias: string | null;
}

/** A column of an instance. */
export interface ColumnRef {
  readonly kind: 'column';
  readonly instance: Instance;
  readonly column: Column;
}

/** All columns of an instance. */
export interface StarRef {
  readonly kind: 'star';
  readonly instance: Instance;
  readonly columns: readonly Column[];
}

/** Two columns a join compares. */
export interface ColumnPair {
  readonly left: ColumnRef;
  readonly right: ColumnRef;
}

/** How an instance is joined to the path before it: the alternatives are ORed, the pairs of one ANDed. */
export interface Join {
  readonly type: 'inner' | 'left' | 'right' | 'full';
  readonly instance: Instance;
  readonly alternatives: readonly (readonly ColumnPair[])[];
  /** Whether a row of the path before finds at most one partner, because the join compares a whole key of the new instance. */
  readonly toOne: boolean;
}

/** A path with everything looked up: joined rows in path order, narrowed by all conditions. */
export interface ResolvedPath {
  readonly root: Instance;
  readonly joins: readonly Join[];
  readonly conditions: readonly ResolvedCondition[];
  /** The instance whose entities the path denotes. */
  readonly context: Instance;
}

export type ResolvedCondition =
  | { readonly kind: 'or' | 'and'; readonly operands: readonly ResolvedCondition[] }
  | { readonly kind: 'not'; readonly operand: ResolvedCondition }
  | { readonly kind: 'null-test'; readonly column: ColumnRef }
  | ResolvedComparison
  | ResolvedTextMatch;

export type ComparisonOperator = '=' | 'lt' | 'leq' | 'gt' | 'geq';

/** A comparison of values in the type of the column. */
export interface ResolvedComparison {
  readonly kind: 'comparison';
  readonly column: ColumnRef;
  readonly operator: ComparisonOperator;
  readonly quantifier: 'any' | 'all';
  readonly values: readonly LiteralValue[];
}

/** A match on the text form of one column, or of any column of an instance. */
export interface ResolvedTextMatch {
  readonly kind: 'text-match';
  readonly target: ColumnRef | StarRef;
  readonly operator: 'regexp' | 'ciregexp' | 'ts';
  readonly quantifier: 'any' | 'all';
  readonly values: readonly string[];
}

export type Expression =
  | ColumnRef
  | BinExpression
  | RightsExpression
  | FunctionExpression
  /** Some value occurring in the group, preferably not NULL. */
  | { readonly kind: 'example'; readonly of: ColumnRef | BinExpression | RightsExpression };

export interface BinExpression {
  readonly kind: 'bin';
  readonly column: ColumnRef;
  readonly count: number;
  readonly low: LiteralValue;
  readonly high: LiteralValue;
}

export interface RightsExpression {
  readonly kind: 'rights';
  readonly function: 'trs' | 'tcrs';
  readonly instance: Instance;
}

export interface FunctionExpression {
  readonly kind: 'function';
  readonly function: 'cnt' | 'cnt_d' | 'min' | 'max' | 'avg' | 'sum' | 'array' | 'array_d';
  readonly argument: ColumnRef | StarRef;
}

/** An output column by its final name. */
export interface Output {
  readonly name: string;
  readonly expression: Expression;
}

/** A read with everything looked up. Whether the client may have it is the next stage's question. */
export interface ResolvedRead {
  readonly kind: 'entity' | 'attribute' | 'attributegroup' | 'aggregate';
  readonly path: ResolvedPath;
  /** Group keys of an attributegroup; empty for the others. */
  readonly keys: readonly Output[];
  /** The other outputs, in order. */
  readonly outputs: readonly Output[];
  readonly sort: ResolvedSort | null;
}

export interface ResolvedSort {
  readonly keys: readonly { readonly output: number; readonly descending: boolean }[];
  readonly after: readonly PageValue[] | null;
  readonly before: readonly PageValue[] | null;
}

/** A page value in the type of its output; null is `::null::`. */
export type PageValue = LiteralValue | null;
