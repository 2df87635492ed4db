import { z } from 'zod';
import { ConfigError, type Environment, parseEnvironment } from './config.js';
import { createLogger, type Logger } from './logger.js';
import { type ProcessConfig, processVariables } from './service-process.js';
import { endWhenTold } from './told-to-end.js';
import { type WireProfile, wireProfile } from './wire-profile.js';

/**
 * Who removes what a service no longer needs (`SWEEPERS`): its processes themselves, now and then, or nobody but the command `sweep`,
 * which something else has to run.
 */
export const sweepersVariable = z.enum(['inside', 'none']).default('inside');

/** What one full pass of the sweepers of a service did. */
export interface SweepOutcome {
  /** False: another process is sweeping, so that this one did nothing. */
  readonly leader: boolean;
  /** How many of each kind were removed. */
  readonly removed: Readonly<Record<string, number>>;
  /** What was due and could not be removed; the log says why. */
  readonly failed: number;
}

/** A command that makes one pass. */
export interface SweepDefinition<Shape extends z.ZodRawShape> {
  readonly name: string;
  /** Those it needs beside the ones of every process. */
  readonly variables: Shape;
  sweep(parts: SweepParts<z.output<z.ZodObject<Shape>>>): Promise<SweepOutcome>;
}

/** What the pass is given. */
export interface SweepParts<Config> {
  readonly config: Config & ProcessConfig;
  readonly profile: WireProfile;
  readonly log: Logger;
}

/**
 * Runs such a command. The last line on standard output is the outcome as JSON, those before it are the log. Ends with 0; with 1 when
 * something that was due could not be removed; with 2 and the reason on standard error when it could not run; with 143 or 130 at once when
 * it is told to end, which costs nothing: whatever sweeps next goes on.
 */
export async function runSweepProcess<Shape extends z.ZodRawShape>(
  { name, variables, sweep }: SweepDefinition<Shape>,
  environment: Environment,
): Promise<void> {
  endWhenTold(`${name}: the sweep`);
  try {
    const config = {
      ...parseEnvironment(variables, environment),
      ...parseEnvironment(processVariables, environment),
    };
    const profile = wireProfile(config.WIRE_PROFILE, config.WIRE_PROFILE_OVERRIDES);
    const log = createLogger({ service: `${name}-sweep`, level: config.LOG_LEVEL });
    const outcome = await sweep({ config, profile, log });
    process.stdout.write(`${JSON.stringify({ kind: 'swept', ...outcome })}\n`);
    process.exitCode = outcome.failed === 0 ? 0 : 1;
  } catch (error) {
    const reason = error instanceof ConfigError || error instanceof Error ? error.message : String(error);
    process.stderr.write(`${name}: the sweep failed: ${reason}\n`);
    process.exitCode = 2;
  }
}
