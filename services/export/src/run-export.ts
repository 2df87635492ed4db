import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScratchBudget } from '@holdfast/bagit';
import { AppError, type Logger } from '@holdfast/http-kit';
import type { Sealer } from '@holdfast/identity';
import type { ExportChanges } from './job/export-changes.js';
import { type ExportLog, openExportLog } from './job/export-log.js';
import type { ExportFailure, ExportOutput, ExportRecord } from './job/export-record.js';
import type { ExportStore } from './job/export-store.js';
import type { Attempt } from './job/export-turns.js';
import { type Heartbeat, RunLostError, startHeartbeat } from './job/heartbeat.js';
import type { LoginSessions } from './job/login-sessions.js';
import { type ProgressMeter, progressMeter } from './job/progress-meter.js';
import { type ExportCredentials, openCredentials } from './job/sealed-credential.js';
import { packagerFor } from './package/packager-for.js';
import { objectStoreSink } from './publish/object-store-sink.js';
import { type ExportConfig, SERVICE_ID, type Servers, SOFTWARE_AGENT } from './settings.js';
import type { ExternalProcessor } from './steps/external-processor.js';
import { openRunContext } from './steps/open-run-context.js';
import { runQueries } from './steps/run-queries.js';
import type { Upstreams } from './upstreams.js';

/** What a worker works with. */
export interface WorkerParts {
  readonly config: ExportConfig;
  readonly servers: Servers;
  readonly emptyResults: 'keep' | 'omit';
  readonly processors: ReadonlyMap<string, ExternalProcessor>;
  /** Of all runs of the worker together. */
  readonly scratchBudget: ScratchBudget;
  readonly store: ExportStore;
  readonly changes: ExportChanges;
  readonly sealer: Sealer;
  readonly sessions: LoginSessions;
  readonly upstreams: Upstreams;
  readonly log: Logger;
  /** Fires when the worker has to stop: what it had taken up goes back. */
  readonly stopping: AbortSignal;
}

/** One run of an export, with what belongs to it alone. */
interface Run {
  readonly record: ExportRecord;
  readonly attempt: Attempt;
  readonly log: ExportLog;
  readonly meter: ProgressMeter;
  readonly heartbeat: Heartbeat;
  /** Exists while the run lasts. */
  readonly scratchDir: string;
}

/**
 * The whole way of an export: taken up, its queries run as the caller, their results packaged and stored, then published in one
 * transaction, or ended with a reason. Does nothing when somebody else has the export, or it is over.
 */
export async function runExport(parts: WorkerParts, id: string): Promise<void> {
  const record = await parts.store.claim(id);
  if (record === null) return;
  const run = await startRun(parts, record);
  const stop = (): void => run.heartbeat.abort(new WorkerStoppingError());
  if (parts.stopping.aborted) stop();
  parts.stopping.addEventListener('abort', stop, { once: true });
  let credentials: ExportCredentials | null = null;
  try {
    // whatever happens next, the log says that it began
    await run.log.flush();
    await mkdir(run.scratchDir, { recursive: true, mode: 0o700 });
    credentials = await openCredentials(parts.store, parts.sealer, record);
    const outputs = await makeResults(parts, run, credentials);
    run.log.info(`completed with ${outputs.length} results`);
    await run.log.flush();
    const results = { outputs, progress: run.meter.current() };
    if (!(await parts.store.complete(run.attempt, results, retentionSeconds(parts)))) {
      throw new RunLostError('another run of the export has taken over');
    }
    await parts.sessions.end(credentials.session);
  } catch (error) {
    const isOver = await endRun(parts, run, run.heartbeat.signal.aborted ? run.heartbeat.signal.reason : error);
    if (isOver) await parts.sessions.end(credentials?.session ?? null);
  } finally {
    parts.stopping.removeEventListener('abort', stop);
    await run.heartbeat.stop();
    await run.log.close();
    await rm(run.scratchDir, { recursive: true, force: true });
    // what it stored may be removed now if it was cancelled; unsaid, that waits for the end of its lease
    await parts.store.ended(run.attempt).catch((error: unknown) => {
      parts.log.warn({ err: error, exportId: id }, 'the end of a run could not be noted');
    });
  }
}

/** A stopping worker is no reason for an export to fail. */
class WorkerStoppingError extends Error {
  constructor() {
    super('the worker is stopping');
    this.name = 'WorkerStoppingError';
  }
}

async function startRun(parts: WorkerParts, record: ExportRecord): Promise<Run> {
  const { config, store } = parts;
  const { id, request } = record;
  const attempt = { id, attempt: record.attempt };
  const log = openExportLog({
    append: (text) => store.appendLog(id, text),
    // runs before this one count
    bytes: await store.logBytes(id),
    processLog: parts.log,
  });
  log.info(`export ${id}, run ${record.attempt} by ${SOFTWARE_AGENT}`);
  const meter = progressMeter(request.queries.length, {
    maxBytes: config.MAX_OUTPUT_BYTES,
    maxFiles: config.MAX_FILES,
    maxFetchEntries: config.MAX_FETCH_ENTRIES,
  });
  const heartbeat = startHeartbeat(
    {
      store,
      changes: parts.changes,
      log: parts.log,
      progressTimeoutSeconds: config.PROGRESS_TIMEOUT_SECONDS,
      jobTimeoutSeconds: config.JOB_TIMEOUT_SECONDS,
    },
    attempt,
    meter,
  );
  return { record, attempt, log, meter, heartbeat, scratchDir: join(config.SCRATCH_DIR, `${id}-${record.attempt}`) };
}

async function makeResults(
  parts: WorkerParts,
  run: Run,
  credentials: ExportCredentials,
): Promise<readonly ExportOutput[]> {
  const { record, log, meter } = run;
  const { signal } = run.heartbeat;
  const context = await openRunContext({ ...parts, record, credentials, log, meter, signal });
  const sink = objectStoreSink({
    store: parts.upstreams.results,
    directory: `${parts.servers.resultRoot}/${record.created.slice(0, 10)}/${record.id}`,
    owner: SERVICE_ID,
    readers: record.readers,
    attempt: record.attempt,
    onProgress: meter.moved,
    signal,
  });
  const packager = packagerFor({
    ...parts,
    record,
    context,
    sink,
    scratchDir: run.scratchDir,
    softwareAgent: SOFTWARE_AGENT,
  });
  try {
    for await (const output of runQueries(record.request.queries, context)) await packager.add(output);
    return await packager.finish();
  } catch (error) {
    await packager.abort(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

/** @returns whether the export is over; otherwise somebody takes it up again */
async function endRun(parts: WorkerParts, run: Run, error: unknown): Promise<boolean> {
  const { store, log } = parts;
  const { id } = run.record;
  if (error instanceof RunLostError) {
    log.warn({ err: error, exportId: id }, 'a run of an export does not count any more');
    return false;
  }
  if (error instanceof WorkerStoppingError) {
    run.log.warning('the worker is stopping; the export starts again from its beginning');
    await store.release(run.attempt);
    return false;
  }
  const failure = failureOf(error);
  if (failure.status >= 500) log.error({ err: error, exportId: id }, 'an export failed');
  else log.info({ err: error, exportId: id }, 'an export failed');
  run.log.error(`${failure.status} ${failure.code}: ${failure.detail}`);
  await run.log.flush();
  await store.fail(run.attempt, failure, retentionSeconds(parts));
  return true;
}

/** What is not ours shows nothing of itself. */
function failureOf(error: unknown): ExportFailure {
  if (error instanceof AppError) return { status: error.status, code: error.code, detail: error.detail };
  return {
    status: 500,
    code: 'internal',
    detail: 'The export failed by a fault of the service; its operator finds it in the log.',
  };
}

function retentionSeconds(parts: WorkerParts): number {
  return parts.config.RETENTION_HOURS * 3_600;
}
