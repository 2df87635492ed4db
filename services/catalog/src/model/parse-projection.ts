import { AppError } from '@holdfast/http-kit';
import type { Given, Json, ProjectionOperator } from './model.js';

/** Schema and name of a constraint; the schema of a pseudo constraint is empty. */
export type ConstraintName = readonly [schema: string, name: string];

/** How a document names a foreign key; null for what is no such name. */
export function parseConstraintName(json: Json): ConstraintName | null {
  if (!isList(json) || json.length !== 2) return null;
  const [schema, name] = json;
  return typeof schema === 'string' && typeof name === 'string' ? [schema, name] : null;
}

/** A projection read for form (spec/catalog-access.md 7.3): aliases are numbers of instances, names are still names. */
export interface ProjectionSyntax<Constraint> {
  readonly steps: readonly StepSyntax<Constraint>[];
  readonly value: ColumnSyntax;
  readonly bare: boolean;
}

export type StepSyntax<Constraint> = LinkSyntax<Constraint> | FilterSyntax;

export interface LinkSyntax<Constraint> {
  readonly kind: 'link';
  readonly direction: 'outbound' | 'inbound';
  readonly constraint: Constraint;
  readonly from: number;
  readonly given: Given;
}

export type FilterSyntax =
  | {
      readonly kind: 'and' | 'or';
      readonly operands: readonly FilterSyntax[];
      readonly negate: boolean;
      readonly given: Given;
    }
  | { readonly kind: 'null-test'; readonly column: ColumnSyntax; readonly negate: boolean; readonly given: Given }
  | {
      readonly kind: 'comparison';
      readonly column: ColumnSyntax;
      readonly operator: ProjectionOperator;
      readonly operand: Json;
      readonly negate: boolean;
      readonly given: Given;
    };

export interface ColumnSyntax {
  readonly instance: number;
  readonly name: string;
}

/**
 * Reads a projection.
 * @param readConstraint how a link names its foreign key: null for what is no such name
 * @throws {AppError} `bad_acl` with the place of the fault
 */
export function parseProjection<Constraint>(
  json: Json,
  readConstraint: (json: Json) => Constraint | null,
  what: string,
): ProjectionSyntax<Constraint> {
  if (typeof json === 'string') return { steps: [], value: { instance: 0, name: json }, bare: true };
  if (!isList(json) || json.length === 0) throw bad(what, 'must be a column name or an array that ends with one');
  const scope: Scope = { context: 0, instances: 1, aliases: new Map([['base', 0]]) };
  const steps = json.slice(0, -1).map((step, index) => parseStep(step, scope, readConstraint, `${what}.${index}`));
  const name = json.at(-1);
  if (typeof name !== 'string') throw bad(what, 'must end with the name of a column');
  return { steps, value: { instance: scope.context, name }, bare: false };
}

interface Scope {
  /** Number of the instance that bare names mean. */
  context: number;
  instances: number;
  readonly aliases: Map<string, number>;
}

function parseStep<Constraint>(
  json: Json,
  scope: Scope,
  readConstraint: (json: Json) => Constraint | null,
  what: string,
): StepSyntax<Constraint> {
  const given = asObject(json, what);
  return 'outbound' in given || 'inbound' in given
    ? parseLink(given, scope, readConstraint, what)
    : parseFilter(given, scope, what);
}

function parseLink<Constraint>(
  given: Given,
  scope: Scope,
  readConstraint: (json: Json) => Constraint | null,
  what: string,
): LinkSyntax<Constraint> {
  const { outbound, inbound, context, alias } = given;
  if (outbound !== undefined && inbound !== undefined) throw bad(what, 'is either outbound or inbound, not both');
  const direction = outbound === undefined ? 'inbound' : 'outbound';
  refuseOthers(given, [direction, 'context', 'alias'], what);
  const constraint = readConstraint(outbound ?? inbound ?? null);
  if (constraint === null) throw bad(`${what}.${direction}`, 'must be a pair of schema name and constraint name');
  const from = context === undefined ? scope.context : boundInstance(context, scope, `${what}.context`);
  const to = scope.instances;
  if (alias !== undefined) {
    if (typeof alias !== 'string') throw bad(`${what}.alias`, 'must be a string');
    if (scope.aliases.has(alias)) throw bad(`${what}.alias`, `${JSON.stringify(alias)} is in use already`);
    scope.aliases.set(alias, to);
  }
  scope.instances += 1;
  scope.context = to;
  return { kind: 'link', direction, constraint, from, given };
}

function boundInstance(alias: Json, scope: Scope, what: string): number {
  const instance = typeof alias === 'string' ? scope.aliases.get(alias) : undefined;
  if (instance === undefined) throw bad(what, 'must be the alias of a link before it, or "base"');
  return instance;
}

function parseFilter(given: Given, scope: Scope, what: string): FilterSyntax {
  const negate = given.negate ?? false;
  if (typeof negate !== 'boolean' || given.negate === null) throw bad(`${what}.negate`, 'must be true or false');
  for (const kind of ['and', 'or'] as const) {
    const operands = given[kind];
    if (operands === undefined) continue;
    refuseOthers(given, [kind, 'negate'], what);
    if (!isList(operands) || operands.length === 0) throw bad(`${what}.${kind}`, 'must be an array of filters');
    const parts = operands.map((operand, index) => {
      const place = `${what}.${kind}.${index}`;
      return parseFilter(asObject(operand, place), scope, place);
    });
    return { kind, operands: parts, negate, given };
  }
  return parseComparison(given, scope, negate, what);
}

/** The bare words and the decorated forms in which the URL language writes them. */
const operators: ReadonlyMap<string, ProjectionOperator | 'null'> = new Map(
  (['=', 'lt', 'leq', 'gt', 'geq', 'regexp', 'ciregexp', 'ts', 'null'] as const).flatMap((operator) => [
    [operator, operator],
    [`::${operator}::`, operator],
  ]),
);

function parseComparison(given: Given, scope: Scope, negate: boolean, what: string): FilterSyntax {
  const { filter, operator: word, operand } = given;
  if (filter === undefined) throw bad(what, 'must be a link (outbound, inbound) or a filter (filter, and, or)');
  refuseOthers(given, ['filter', 'operator', 'operand', 'negate'], what);
  const column = parseColumn(filter, scope, `${what}.filter`);
  const operator = word === undefined ? '=' : typeof word === 'string' ? operators.get(word) : undefined;
  if (operator === undefined)
    throw bad(`${what}.operator`, 'must be one of =, lt, leq, gt, geq, regexp, ciregexp, ts, null');
  if (operator === 'null') {
    if (operand !== undefined) throw bad(`${what}.operand`, 'must be left out: null is tested without one');
    return { kind: 'null-test', column, negate, given };
  }
  if (operand === null || typeof operand === 'object')
    throw bad(`${what}.operand`, 'must be a string, a number, true or false');
  return { kind: 'comparison', column, operator, operand: operand ?? '', negate, given };
}

function parseColumn(json: Json, scope: Scope, what: string): ColumnSyntax {
  if (typeof json === 'string') return { instance: scope.context, name: json };
  if (!isList(json) || json.length < 1 || json.length > 2)
    throw bad(what, 'must be a column name, or an array of an alias and a column name');
  const [alias = null, name] = json.length === 1 ? [null, json[0]] : json;
  if (typeof name !== 'string') throw bad(what, 'must end with the name of a column');
  return { instance: alias === null ? scope.context : boundInstance(alias, scope, what), name };
}

/** Unlike elsewhere in documents, a member without meaning is a mistake here (spec/catalog-model.md 1.4). */
function refuseOthers(given: Given, known: readonly string[], what: string): void {
  const other = Object.keys(given).find((member) => !known.includes(member));
  if (other !== undefined) throw bad(what, `cannot have a member ${JSON.stringify(other)} beside ${known[0]}`);
}

function asObject(json: Json, what: string): Given {
  if (typeof json !== 'object' || json === null || isList(json))
    throw bad(what, 'must be an object: a link or a filter');
  return json;
}

function isList(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}

function bad(what: string, fault: string): AppError {
  return new AppError('bad_acl', `${what}: ${fault}.`);
}
