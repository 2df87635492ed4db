import { type Lookup, parseTemplate, render, type VariableValue, variableText } from '../request/interpolation.js';
import { checkQueryPath, refuseSyntaxFromData } from '../request/query-path.js';

/** The variables of a run: those of the request, and what `env` queries add. */
export interface Variables {
  /** A column of an env query. */
  set(name: string, value: unknown): void;
  /** A text with its variables put in, and those of a row before them. */
  fill(text: string, pointer: string, row?: Readonly<Record<string, unknown>>): string;
  /** A query path, filled and checked. */
  queryPath(text: string, pointer: string): string;
}

/** @param initial of the request, by name */
export function runVariables(initial: Readonly<Record<string, string>>): Variables {
  const values = new Map<string, VariableValue>(
    Object.entries(initial).map(([name, text]) => [name, { text, source: 'request' }]),
  );
  const lookup: Lookup = (name) => values.get(name) ?? null;
  return {
    set: (name, value) => {
      values.set(name, { text: variableText(value), source: 'data' });
    },
    fill: (text, pointer, row) => {
      const inRow: Lookup = (name) =>
        row !== undefined && Object.hasOwn(row, name)
          ? { text: variableText(row[name]), source: 'data' }
          : lookup(name);
      return render(parseTemplate(text, pointer), inRow, pointer);
    },
    queryPath: (text, pointer) =>
      checkQueryPath(render(parseTemplate(text, pointer), lookup, pointer, refuseSyntaxFromData), pointer),
  };
}
