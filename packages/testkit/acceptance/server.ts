import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startStack, temporaryDirectory } from '@holdfast/stack';
import { type Client, openClient } from './client.js';
import { type ProfileName, type Wire, wires } from './wire.js';

/** The server under test. */
export interface Server {
  readonly profile: ProfileName;
  readonly wire: Wire;
  readonly client: Client;
  /** A directory for what is downloaded. */
  readonly scratch: string;
  close(): Promise<void>;
}

/** Whether tests of this profile can run: a server that is given speaks one of the two. */
export function isTestable(profile: ProfileName): boolean {
  const { ACCEPTANCE_URL, ACCEPTANCE_PROFILE = 'standard' } = process.env;
  return ACCEPTANCE_URL === undefined || ACCEPTANCE_PROFILE === profile;
}

/**
 * The server that `ACCEPTANCE_URL` names, or a stack started for the tests. A server that is given must know the tokens of the
 * development stack and let alice create catalogs and namespaces.
 */
export async function openServer(profile: ProfileName): Promise<Server> {
  const scratch = await temporaryDirectory(`holdfast-acceptance-${profile}-`);
  const { ACCEPTANCE_URL } = process.env;
  const stack =
    ACCEPTANCE_URL === undefined
      ? await startStack({ dataDir: join(scratch, 'data'), port: 0, wireProfile: profile, durable: false })
      : null;
  const client = openClient(stack?.url ?? ACCEPTANCE_URL ?? '');
  return {
    profile,
    wire: wires[profile],
    client,
    scratch,
    async close() {
      await client.close();
      await stack?.stop();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
