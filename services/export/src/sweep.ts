import { BlockList } from 'node:net';
import { runSweepProcess, type SweepOutcome } from '@holdfast/http-kit';
import { serviceSigner } from '@holdfast/identity';
import { checkSchema, openDatabase } from '@holdfast/pg-kit';
import { exportStore } from './job/export-store.js';
import { exportMigrations } from './job/migrations.js';
import { type RetentionParts, sweepResults } from './job/retention.js';
import { sweepScratch } from './job/scratch-sweeper.js';
import { resultRemover } from './publish/remove-results.js';
import { exportVariables, SERVICE_ID, serversOf } from './settings.js';
import { openUpstreams } from './upstreams.js';

const {
  DATABASE_URL,
  OBJECT_STORES,
  SERVICE_KEY,
  RESULT_NAMESPACE,
  SCRATCH_DIR,
  SWEEP_SECONDS,
  PROGRESS_TIMEOUT_SECONDS,
} = exportVariables;

// The command `sweep`: removes all that is past its time, as the processes of the service do bit by bit.
await runSweepProcess(
  {
    name: 'export',
    variables: {
      DATABASE_URL,
      OBJECT_STORES,
      SERVICE_KEY,
      RESULT_NAMESPACE,
      SCRATCH_DIR,
      SWEEP_SECONDS,
      PROGRESS_TIMEOUT_SECONDS,
    },
    sweep: async ({ config, profile, log }) => {
      const servers = serversOf({ ...config, CATALOGS: [] }, profile);
      const signer = serviceSigner(config.SERVICE_KEY, { service: SERVICE_ID });
      const upstreams = openUpstreams(servers, signer, {
        PROGRESS_TIMEOUT_SECONDS: config.PROGRESS_TIMEOUT_SECONDS,
        EXTERNAL_FETCH: 'deny',
        EXTERNAL_FETCH_HOSTS: [],
        EXTERNAL_FETCH_BLOCKED: new BlockList(),
      });
      const database = openDatabase({
        url: config.DATABASE_URL,
        applicationName: 'holdfast export sweep',
        maxConnections: 2,
      });
      try {
        await checkSchema(database, exportMigrations, new AbortController().signal);
        const store = exportStore(database);
        const results = resultRemover(upstreams.results, servers.resultRoot);
        const outcome = await sweepAll({ database, store, results, log, residueSeconds: config.SWEEP_SECONDS });
        const scratch = await sweepScratch({ directory: config.SCRATCH_DIR, store });
        return { ...outcome, removed: { ...outcome.removed, scratch } };
      } finally {
        await upstreams.close();
        await database.close();
      }
    },
  },
  process.env,
);

/** Rounds until nothing more is due. */
async function sweepAll(parts: RetentionParts): Promise<SweepOutcome> {
  const removed = { credentials: 0, exports: 0, residues: 0, days: 0 };
  let leader = false;
  for (let more = true; more; ) {
    const round = await sweepResults(parts, { days: true });
    if (round === null) break;
    leader = true;
    removed.credentials += round.credentials;
    removed.exports += round.exports;
    removed.residues += round.residues;
    removed.days += round.days;
    more = round.more;
  }
  return { leader, removed, failed: 0 };
}
