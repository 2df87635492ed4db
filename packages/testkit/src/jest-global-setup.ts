import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@holdfast/stack';
import { rememberTestServer } from './test-server.js';

/**
 * One PostgreSQL for the whole test run, its URL in HOLDFAST_TEST_POSTGRES. A URL that is set already names a server to
 * use instead, for instance one of another version.
 */
// Jest asks for a default export here
export default async function startTestServer(): Promise<void> {
  if (process.env.HOLDFAST_TEST_POSTGRES) return;
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  // run by root, PostgreSQL has an account of its own that must get through
  await chmod(directory, 0o711);
  const server = await startEmbeddedPostgres({ dataDir: join(directory, 'postgres'), durable: false });
  process.env.HOLDFAST_TEST_POSTGRES = server.url;
  rememberTestServer({ server, directory });
}
