/**
 * The syntax tree of a data URL. Nodes are frozen records with a `kind`; texts are percent-decoded.
 *
 * Everything that can still turn out wrong against a model (names, aliases, literals) keeps `offset`, its place in the
 * parsed text, so that a resolution error can point at it. Offsets are no part of the meaning: the printer ignores them,
 * and `stripOffsets` makes trees comparable.
 */

export type DataResource =
  | EntityResource
  | AttributeResource
  | AttributeGroupResource
  | AggregateResource
  | EntityRidResource;

export interface EntityResource {
  readonly kind: 'entity';
  readonly path: Path;
  readonly sort: Sort | null;
}

export interface AttributeResource {
  readonly kind: 'attribute';
  readonly path: Path;
  readonly projection: readonly AttributeItem[];
  readonly sort: Sort | null;
}

export interface AttributeGroupResource {
  readonly kind: 'attributegroup';
  readonly path: Path;
  readonly keys: readonly KeyItem[];
  /** What follows `;`; empty when the URL has group keys only. */
  readonly projection: readonly GroupItem[];
  readonly sort: Sort | null;
}

export interface AggregateResource {
  readonly kind: 'aggregate';
  readonly path: Path;
  readonly projection: readonly AggregateItem[];
}

export interface EntityRidResource {
  readonly kind: 'entity_rid';
  readonly rid: Word;
}

// ---- words and names

/** One decoded string: an alias, an output name, a literal. Only literals may be empty. */
export interface Word {
  readonly text: string;
  readonly offset: number;
}

/** `a`, `a:b`, `a:b:c`, ...; how many parts make sense is for resolution to say. `*` is an ordinary part here. */
export interface Name {
  readonly kind: 'name';
  readonly parts: readonly string[];
  readonly offset: number;
}

// ---- paths

export interface Path {
  readonly root: TableRef;
  readonly elements: readonly PathElement[];
}

export interface TableRef {
  readonly kind: 'table';
  readonly alias: Word | null;
  readonly name: Name;
}

export type PathElement = TableLink | EndpointLink | MappingLink | FilterElement | ContextReset;

export type JoinType = 'inner' | 'left' | 'right' | 'full';

/** `T`, `A:=S:T` */
export interface TableLink {
  readonly kind: 'table-link';
  readonly alias: Word | null;
  readonly table: Name;
}

/** `(c1,c2)`, `A:=left(c)` */
export interface EndpointLink {
  readonly kind: 'endpoint-link';
  readonly alias: Word | null;
  readonly join: JoinType;
  readonly columns: readonly Name[];
  readonly offset: number;
}

/** `(l1,l2)=(r1,r2)`; both lists have the same length. */
export interface MappingLink {
  readonly kind: 'mapping-link';
  readonly alias: Word | null;
  readonly join: JoinType;
  readonly left: readonly Name[];
  readonly right: readonly Name[];
  readonly offset: number;
}

export interface FilterElement {
  readonly kind: 'filter';
  readonly condition: Condition;
}

/** `$A` */
export interface ContextReset {
  readonly kind: 'reset';
  readonly alias: Word;
}

// ---- filters

/** Parentheses are not kept: the tree says what they said. */
export type Condition = OrCondition | AndCondition | NotCondition | NullTest | Comparison;

/** `a;b`: two operands or more. */
export interface OrCondition {
  readonly kind: 'or';
  readonly operands: readonly Condition[];
}

/** `a&b`: two operands or more. */
export interface AndCondition {
  readonly kind: 'and';
  readonly operands: readonly Condition[];
}

export interface NotCondition {
  readonly kind: 'not';
  readonly operand: Condition;
}

/** `c::null::` */
export interface NullTest {
  readonly kind: 'null-test';
  readonly column: Name;
}

export interface Comparison {
  readonly kind: 'comparison';
  readonly column: Name;
  readonly operator: ComparisonOperator;
  readonly operand: Operand;
}

export type ComparisonOperator = '=' | 'lt' | 'leq' | 'gt' | 'geq' | 'regexp' | 'ciregexp' | 'ts';

export type Operand = Literal | ValueList;

export interface Literal {
  readonly kind: 'literal';
  readonly text: string;
  readonly offset: number;
}

/** `any(1,2)`: one value or more, each of which may be empty. */
export interface ValueList {
  readonly kind: 'value-list';
  readonly quantifier: 'any' | 'all';
  readonly values: readonly Literal[];
  readonly offset: number;
}

// ---- projections

export type AttributeItem = ColumnItem | BinItem | RightsItem;
export type KeyItem = ColumnItem | BinItem;
export type GroupItem = ColumnItem | BinItem | RightsItem | FunctionItem;
export type AggregateItem = ColumnItem | BinItem | FunctionItem;

/** `c`, `x:=A:c`, `*`, `A:*` */
export interface ColumnItem {
  readonly kind: 'column';
  readonly output: Word | null;
  readonly column: Name;
}

/** `bin(c;n;lo;hi)`; the three values are as written, unchecked. */
export interface BinItem {
  readonly kind: 'bin';
  readonly output: Word | null;
  readonly column: Name;
  readonly count: Literal;
  readonly low: Literal;
  readonly high: Literal;
  readonly offset: number;
}

/** `trs(RID)`: rights of the client on the row; `tcrs(RID)`: on its columns too. */
export interface RightsItem {
  readonly kind: 'rights';
  readonly output: Word | null;
  readonly function: 'trs' | 'tcrs';
  readonly column: Name;
  readonly offset: number;
}

/** `n:=cnt(*)`: always with an output name. */
export interface FunctionItem {
  readonly kind: 'function';
  readonly output: Word;
  readonly function: AggregateFunction;
  readonly column: Name;
  readonly offset: number;
}

export type AggregateFunction = 'cnt' | 'cnt_d' | 'min' | 'max' | 'avg' | 'sum' | 'array' | 'array_d';

// ---- sorting and paging

/** `@sort(...)` with its page keys, which have one value for each sort key. */
export interface Sort {
  readonly keys: readonly SortKey[];
  readonly after: PageKey | null;
  readonly before: PageKey | null;
  readonly offset: number;
}

export interface SortKey {
  readonly output: Word;
  readonly descending: boolean;
}

export interface PageKey {
  readonly values: readonly PageValue[];
  readonly offset: number;
}

export type PageValue = Literal | NullValue;

/** `::null::` in a page key */
export interface NullValue {
  readonly kind: 'null';
  readonly offset: number;
}

// ---- query string

/** One `name=v1,v2` of the query string as written; `name` and `name=` have no values. */
export interface QueryParam {
  readonly name: Word;
  readonly values: readonly Word[];
}

export type QueryParams = readonly QueryParam[];

/** What a data URL says: the resource, and the parameters after `?`. */
export interface DataRequest {
  readonly resource: DataResource;
  readonly query: QueryParams;
}
