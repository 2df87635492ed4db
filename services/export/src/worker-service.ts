import { scratchBudget } from '@holdfast/bagit';
import { AppError, type ProcessParts, type StartedService } from '@holdfast/http-kit';
import { sealer, serviceSigner } from '@holdfast/identity';
import { openBullWorker } from './job/bullmq.js';
import { tryDispatch } from './job/dispatch.js';
import { loginSessions } from './job/login-sessions.js';
import { queueAddressOf } from './job/queue-address.js';
import { startScratchSweeper } from './job/scratch-sweeper.js';
import { superviseWorker } from './job/supervise-worker.js';
import { openJobStage } from './open-job-stage.js';
import { resultRemover } from './publish/remove-results.js';
import { runExport, type WorkerParts } from './run-export.js';
import { type ExportConfig, SERVICE_ID, serversOf } from './settings.js';
import { loadProcessors } from './steps/external-processor.js';
import { openUpstreams } from './upstreams.js';

/** spec/export.md 13.2, step 1. */
const LOCK_MILLISECONDS = 20_000;
const STALLED_INTERVAL = 10_000;

/** Milliseconds that running exports get to put themselves back when the process stops. */
const STOP_PATIENCE = 2_000;

/** Starts a worker: takes exports from the queue whenever that is there. */
export async function startWorker(parts: ProcessParts<ExportConfig>): Promise<StartedService> {
  const { config, profile, log, metrics } = parts;
  const servers = serversOf(config, profile);
  const processors = await loadProcessors(config.EXTERNAL_PROCESSORS);
  const signer = serviceSigner(config.SERVICE_KEY, { service: SERVICE_ID });
  const upstreams = openUpstreams(servers, signer, config);
  const jobs = await openJobStage(config, log, metrics, resultRemover(upstreams.results, servers.resultRoot));
  const scratch = await startScratchSweeper({
    directory: config.SCRATCH_DIR,
    store: jobs.store,
    log,
    intervalSeconds: config.SWEEP_SECONDS,
  });
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const seals = sealer(config.CREDENTIAL_KEY);
  const workerParts: WorkerParts = {
    config,
    servers,
    emptyResults: profile.emptyResults,
    processors,
    scratchBudget: scratchBudget(config.SCRATCH_QUOTA_BYTES),
    store: jobs.store,
    changes: jobs.changes,
    sealer: seals,
    sessions: loginSessions({
      http: upstreams.http,
      authnPath: profile.authnPrefixes[0] ?? '/authn',
      store: jobs.store,
      sealer: seals,
      log,
    }),
    upstreams,
    log,
    stopping: stopping.signal,
  };
  const work = async (exportId: string): Promise<void> => {
    const run = runExport(workerParts, exportId).catch((error: unknown) => {
      // the row keeps its lease until that runs out; the sweeper does the rest
      log.error({ err: error, exportId }, 'a run of an export broke down');
    });
    running.add(run);
    await run.finally(() => running.delete(run));
    // the next of the same user need not wait for the sweeper
    if (!stopping.signal.aborted) {
      await tryDispatch({ ...jobs, concurrent: config.PER_USER_CONCURRENT }, log);
    }
  };
  const worker = superviseWorker({
    prepare: () => jobs.queue.check(),
    createWorker: () =>
      openBullWorker(queueAddressOf(config), work, {
        concurrency: config.WORKER_CONCURRENCY,
        lockDuration: LOCK_MILLISECONDS,
        stalledInterval: STALLED_INTERVAL,
      }),
    log,
  });
  metrics.gauge('export_runs', 'Exports at work in this process.', () => running.size);
  return {
    handler: null,
    checks: [...jobs.checks, { name: 'worker', check: async () => refuseUnless(worker.isRunning()) }],
    pause: async () => {
      await worker.stop();
    },
    stop: async () => {
      stopping.abort();
      await Promise.race([Promise.allSettled([...running]), patience()]);
      await scratch.stop();
      await jobs.close();
      await upstreams.close();
    },
  };
}

function refuseUnless(isRunning: boolean): void {
  if (!isRunning) throw new AppError('unavailable', 'The worker takes no jobs.');
}

function patience(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, STOP_PATIENCE).unref();
  });
}
