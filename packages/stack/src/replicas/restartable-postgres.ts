import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded-postgres.js';

/** A PostgreSQL that can be stopped and started again at the same port. */
export type RestartablePostgres = { readonly url: string; start(): Promise<void>; stop(): Promise<void> };

/**
 * Starts an embedded one.
 * @param given URL of one to use instead, which is neither started nor stopped; undefined: none
 */
export async function openPostgres(given: string | undefined, dataDir: string): Promise<RestartablePostgres> {
  const none = async (): Promise<void> => undefined;
  if (given !== undefined) return { url: given, start: none, stop: none };
  let running: EmbeddedPostgres | null = await startEmbeddedPostgres({ dataDir });
  const { url, port } = running;
  return {
    url,
    start: async () => {
      running ??= await startEmbeddedPostgres({ dataDir, port });
    },
    stop: async () => {
      await running?.stop();
      running = null;
    },
  };
}
