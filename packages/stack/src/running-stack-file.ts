import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { processIdentity } from './process-identity.js';

const stackDocument = z.object({
  url: z.url(),
  pid: z.int().positive(),
  identity: z.string(),
  wireProfile: z.enum(['standard', 'deriva']),
  startedAt: z.string(),
  processes: z.array(z.object({ name: z.string(), pid: z.int().positive() })),
});

/** What others may know of a stack that runs: no secrets. The supervisor is one of the processes. */
export type StackDescription = Omit<z.output<typeof stackDocument>, 'identity'>;

/** Writes `stack.json`, by which {@link findRunningStack} finds the stack of this process. */
export function describeRunningStack(dataDir: string, description: StackDescription): void {
  const document = { ...description, identity: processIdentity(description.pid) ?? '' };
  writeFileSync(join(dataDir, 'stack.json'), `${JSON.stringify(document, null, 2)}\n`, { mode: 0o644 });
}

export function forgetRunningStack(dataDir: string): void {
  rmSync(join(dataDir, 'stack.json'), { force: true });
}

/** The stack that runs on this data directory now, or null: a description left by a killed stack does not count. */
export function findRunningStack(dataDir: string): StackDescription | null {
  try {
    const { identity, ...description } = stackDocument.parse(
      JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')),
    );
    return processIdentity(description.pid) === identity ? description : null;
  } catch {
    return null;
  }
}
