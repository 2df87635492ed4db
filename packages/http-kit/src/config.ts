import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The environment of a process: `process.env`, handed down by `main.ts`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Wrong configuration: every fault found, each with the name of its variable. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Parses configuration from the environment, once, at start. For every variable `NAME` the value may instead stand in the
 * file that `NAME_FILE` names (a mounted secret); its trailing newline is dropped.
 * @param shape zod schemas by variable name; each takes the text of the variable, or undefined
 * @param environment variables to read
 * @throws {ConfigError} with all faults at once; values are never repeated in them, they may be secrets
 */
export function parseEnvironment<Shape extends z.ZodRawShape>(
  shape: Shape,
  environment: Environment,
): z.output<z.ZodObject<Shape>> {
  const faults: string[] = [];
  const values: Record<string, string | undefined> = {};
  for (const name of Object.keys(shape)) {
    const direct = environment[name];
    const file = environment[`${name}_FILE`];
    if (direct !== undefined && file !== undefined) faults.push(`${name}: set ${name} or ${name}_FILE, not both`);
    values[name] = file === undefined ? emptyAsAbsent(direct) : readSecret(name, file, faults);
  }
  const parsed = z.object(shape).safeParse(values);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const [name, ...rest] = issue.path.map(String);
      faults.push(`${name}${rest.length === 0 ? '' : ` (at ${rest.join('.')})`}: ${issue.message}`);
    }
  }
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  return parsed.data;
}

function emptyAsAbsent(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function readSecret(name: string, file: string, faults: string[]): string | undefined {
  try {
    return emptyAsAbsent(readFileSync(file, 'utf8').replace(/\r?\n$/, ''));
  } catch {
    faults.push(`${name}_FILE: cannot read the file it names`);
    return undefined;
  }
}

/** A whole number within bounds. */
export function integerVariable(bounds: { readonly min?: number; readonly max?: number } = {}) {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds;
  return z
    .string()
    .regex(/^[+-]?\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));
}

/** `true` or `false` (also `1`, `0`, `yes`, `no`). */
export function booleanVariable() {
  return z
    .string()
    .regex(/^(true|false|1|0|yes|no)$/i, 'must be true or false')
    .transform((text) => /^(true|1|yes)$/i.test(text));
}

/** A JSON document of the given schema. */
export function jsonVariable<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** A list: a JSON array of strings, or words separated by commas. */
export function listVariable() {
  return z.string().transform((text, context): readonly string[] => {
    if (!text.trimStart().startsWith('['))
      return text
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '');
    const parsed = z.array(z.string()).safeParse(safeJson(text));
    if (parsed.success) return parsed.data;
    context.addIssue({ code: 'custom', message: 'must be a JSON array of strings or words separated by commas' });
    return z.NEVER;
  });
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
