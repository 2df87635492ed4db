import { scalarOf } from './column-types.js';
import type { Column, ForeignKey, Json, Projection, ProjectionStep } from './model.js';

/** How columns and foreign keys are written: by name on the wire, by RID in the bookkeeping. */
export interface ProjectionNames {
  column(column: Column): string;
  foreignKey(foreignKey: ForeignKey): Json;
}

/** The form of the bookkeeping: renames and moves do not touch it (spec/catalog-model.md 19.5). */
export const byRid: ProjectionNames = { column: ({ rid }) => rid, foreignKey: ({ rid }) => rid };

/** The form of the wire, with the present names. */
export const byName: ProjectionNames = { column: ({ name }) => name, foreignKey: constraintPair };

/** Schema and name of a constraint, the identity that documents use (spec/catalog-model.md 8). */
export function constraintPair({ parent, constraintName, pseudo }: ForeignKey): readonly [string, string] {
  return [pseudo ? '' : parent.parent.name, constraintName];
}

/** Writes a projection in the shape in which it was given. */
export function writeProjection(projection: Projection, names: ProjectionNames): Json {
  const value = names.column(projection.value.column);
  return projection.bare ? value : [...projection.steps.map((step) => writeStep(step, names)), value];
}

function writeStep(step: ProjectionStep, names: ProjectionNames): Json {
  switch (step.kind) {
    case 'link':
      return { ...step.given, [step.direction]: names.foreignKey(step.foreignKey) };
    case 'and':
    case 'or':
      return { ...step.given, [step.kind]: step.operands.map((operand) => writeStep(operand, names)) };
    case 'null-test':
    case 'comparison':
      return { ...step.given, filter: writeColumn(step.given.filter, names.column(step.column.column)) };
    default:
      return step satisfies never;
  }
}

/** A bare name, or the last item of a list whose first tells the instance. */
function writeColumn(given: Json | undefined, name: string): Json {
  return Array.isArray(given) ? [...given.slice(0, -1), name] : name;
}

/** Whether a column can hold names of roles: text, under arrays and domains. */
export function holdsText({ type }: Column): boolean {
  return scalarOf(type).storage === 'text';
}

/** Columns and foreign keys that a projection uses: when one of them goes, the binding goes. */
export function elementsOf({ steps, value }: Projection): readonly (Column | ForeignKey)[] {
  return [...steps.flatMap(elementsOfStep), value.column];
}

function elementsOfStep(step: ProjectionStep): readonly (Column | ForeignKey)[] {
  switch (step.kind) {
    case 'link':
      return [step.foreignKey];
    case 'and':
    case 'or':
      return step.operands.flatMap(elementsOfStep);
    case 'null-test':
    case 'comparison':
      return [step.column.column];
    default:
      return step satisfies never;
  }
}
