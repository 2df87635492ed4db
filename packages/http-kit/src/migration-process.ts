import type { z } from 'zod';
import { ConfigError, type Environment, parseEnvironment } from './config.js';
import { endWhenTold } from './told-to-end.js';

/** A command that brings databases to the newest schema. */
export interface MigrationDefinition<Shape extends z.ZodRawShape> {
  readonly name: string;
  /** Those it needs; it asks for nothing else, so that it can run before the rest of a deployment is there. */
  readonly variables: Shape;
  migrate(config: z.output<z.ZodObject<Shape>>): Promise<void>;
}

/**
 * Runs such a command: a line on standard output and status 0, or the reason on standard error and status 1. Told to end it does so at
 * once, with 143 or 130: steps that were not committed did not happen.
 */
export async function runMigrationProcess<Shape extends z.ZodRawShape>(
  { name, variables, migrate }: MigrationDefinition<Shape>,
  environment: Environment,
): Promise<void> {
  endWhenTold(`${name}: the migration`);
  const began = performance.now();
  try {
    await migrate(parseEnvironment(variables, environment));
    process.stdout.write(`${name}: the schema is the newest, after ${Math.ceil(performance.now() - began)} ms\n`);
  } catch (error) {
    const reason = error instanceof ConfigError || error instanceof Error ? error.message : String(error);
    process.stderr.write(`${name}: the migration failed: ${reason}\n`);
    process.exitCode = 1;
  }
}
