import { runSweepProcess } from '@holdfast/http-kit';
import { openDatabase } from '@holdfast/pg-kit';
import { objectStoreVariables, settingsOf } from './configuration.js';
import { checkDirectory } from './directory/prepare-directory.js';
import { compareWeekly } from './maintenance/compare-weekly.js';
import { sweep } from './maintenance/sweeper.js';
import { openStore } from './open-store.js';

// The command `sweep`: one pass of what a process of the service does each minute and each week.
await runSweepProcess(
  {
    name: 'objectstore',
    variables: objectStoreVariables,
    sweep: async ({ config, profile, log }) => {
      const database = openDatabase({
        url: config.DATABASE_URL,
        applicationName: 'holdfast-objectstore sweep',
        maxConnections: 3,
      });
      const { signal } = new AbortController();
      try {
        await checkDirectory(database, signal);
        const store = await openStore(config);
        try {
          const jobAges = settingsOf(config, profile).upload;
          const swept = await sweep({ database, store, log, graceSeconds: config.GC_GRACE_SECONDS, jobAges }, signal);
          const compared = swept.leader ? await compareWeekly({ database, store, log }, signal) : null;
          return {
            leader: swept.leader,
            removed: { jobs: swept.jobs, blobs: swept.removed, unknown: compared?.removed ?? 0 },
            failed: swept.failed,
          };
        } finally {
          store.close();
        }
      } finally {
        await database.close();
      }
    },
  },
  process.env,
);
