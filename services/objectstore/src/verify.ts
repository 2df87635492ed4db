import { ConfigError, endWhenTold, parseEnvironment } from '@holdfast/http-kit';
import { openDatabase } from '@holdfast/pg-kit';
import { objectStoreVariables } from './configuration.js';
import { verifyBlobs } from './maintenance/verify-blobs.js';
import { openStore } from './open-store.js';

/** Milliseconds between two lines of progress. */
const PROGRESS_MILLISECONDS = 5000;

/**
 * The command `verify`: every fault is a line of JSON on standard output, the counts are its last line; progress goes to standard
 * error. Ends with 0 when there is no fault, 1 when there are some, 2 when it could not run, 143 or 130 when it was told
 * to end before that.
 */
endWhenTold('verify');
try {
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`verify: ${error instanceof ConfigError || error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}

async function run(): Promise<number> {
  const config = parseEnvironment(objectStoreVariables, process.env);
  const store = await openStore(config);
  const database = openDatabase({ url: config.DATABASE_URL, applicationName: 'holdfast-verify', maxConnections: 2 });
  let shown = Date.now();
  try {
    const counts = await verifyBlobs(
      database,
      store,
      {
        fault: (fault) => process.stdout.write(`${JSON.stringify(fault)}\n`),
        progress: ({ blobs, bytes, faults }) => {
          if (Date.now() - shown < PROGRESS_MILLISECONDS) return;
          shown = Date.now();
          process.stderr.write(`${blobs} blobs, ${bytes} bytes read, ${faults} faults\n`);
        },
      },
      new AbortController().signal,
    );
    process.stdout.write(`${JSON.stringify({ kind: 'counts', ...counts })}\n`);
    return counts.faults === 0 ? 0 : 1;
  } finally {
    await database.close();
    store.close();
  }
}
