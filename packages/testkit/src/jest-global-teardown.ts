import { rm } from 'node:fs/promises';
import { rememberedTestServer } from './test-server.js';

/** Stops the PostgreSQL that the global set-up started, if it started one, and deletes its files. */
// Jest asks for a default export here
export default async function stopTestServer(): Promise<void> {
  const started = rememberedTestServer();
  if (started === null) return;
  await started.server.stop(1000);
  await rm(started.directory, { recursive: true, force: true });
}
