import type { ProcessParts, StartedService } from '@holdfast/http-kit';
import { identityVariables, openIdentity, sealer, serviceSigner } from '@holdfast/identity';
import type { z } from 'zod';
import { exportApp } from './app.js';
import { seedStatus } from './http/seed-status.js';
import { loginSessions } from './job/login-sessions.js';
import { openJobStage } from './open-job-stage.js';
import { resultRemover } from './publish/remove-results.js';
import { exportVariables, SERVICE_ID, serversOf } from './settings.js';
import { loadProcessors } from './steps/external-processor.js';
import { openUpstreams } from './upstreams.js';

/** Environment of the API process. */
export const apiVariables = { ...exportVariables, ...identityVariables };

/** Milliseconds a client may be gone before its export is cancelled (spec/export.md 10.1). */
const CANCEL_AFTER = 5_000;

/** Starts the API: takes requests, hands them to workers, gives out results. */
export async function startApi(
  parts: ProcessParts<z.output<z.ZodObject<typeof apiVariables>>>,
): Promise<StartedService> {
  const { config, profile, log, metrics, stopSignal } = parts;
  const servers = serversOf(config, profile);
  const processors = await loadProcessors(config.EXTERNAL_PROCESSORS);
  const signer = serviceSigner(config.SERVICE_KEY, { service: SERVICE_ID });
  const upstreams = openUpstreams(servers, signer, config);
  const remover = resultRemover(upstreams.results, servers.resultRoot);
  const jobs = await openJobStage(config, log, metrics, remover);
  const identity = await openIdentity({ config, profile, log, metrics, audience: SERVICE_ID });
  const seals = sealer(config.CREDENTIAL_KEY);
  const app = exportApp({
    config,
    profile,
    log,
    metrics,
    identity,
    trustProxy: config.TRUST_PROXY,
    requestSettings: {
      catalogs: servers.catalogs,
      maxQueries: config.MAX_QUERIES,
      fileWithBag: config.FILE_WITH_BAG,
      bagDefaults: {
        archiver: profile.bagDefaultArchiver,
        namePrefix: profile.bagDefaultName,
        algorithms: config.BAG_DEFAULT_ALGORITHMS,
      },
      externalProcessors: new Set(processors.keys()),
    },
    store: jobs.store,
    queue: jobs.queue,
    changes: jobs.changes,
    sealer: seals,
    delegation: {
      signer,
      seconds: config.DELEGATION_SECONDS,
      sessions: loginSessions({
        http: upstreams.http,
        authnPath: profile.authnPrefixes[0] ?? '/authn',
        store: jobs.store,
        sealer: seals,
        log,
      }),
      cookieName: config.SESSION_COOKIE_NAME ?? profile.sessionCookieName,
      forwards: [...servers.catalogs, ...servers.stores].some(({ delegation }) => delegation === 'forward'),
    },
    results: upstreams.results,
    redirectOrigin: config.RESULT_DELIVERY === 'redirect' ? servers.resultOrigin : null,
    shownStatus: config.COMPAT_SEED_STATUSES ? seedStatus : (status) => status,
    remover,
    stopSignal,
    cancelAfter: CANCEL_AFTER,
  });
  return {
    handler: app,
    checks: [...jobs.checks, ...identity.checks],
    stop: async () => {
      await jobs.close();
      await identity.close();
      await upstreams.close();
    },
  };
}
