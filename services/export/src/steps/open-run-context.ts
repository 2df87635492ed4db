import type { ExternalClient, HttpClient, StaticCredential } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import type { ExportLog } from '../job/export-log.js';
import type { ExportRecord } from '../job/export-record.js';
import type { ProgressMeter } from '../job/progress-meter.js';
import type { CatalogServer, DelegationMode } from '../request/catalog-host.js';
import { assetSource } from './asset-source.js';
import type { ObjectStoreServer } from './asset-url.js';
import { openCatalogSource, type PinSnapshot } from './catalog-source.js';
import type { ExternalProcessor } from './external-processor.js';
import { provenance } from './provenance.js';
import type { RunContext } from './run-context.js';
import { runVariables } from './variables.js';

/** What a context is made of. */
export interface RunContextOptions {
  readonly record: ExportRecord;
  readonly credentials: Readonly<Record<DelegationMode, StaticCredential | null>>;
  readonly servers: {
    readonly catalogs: readonly CatalogServer[];
    readonly stores: readonly ObjectStoreServer[];
    readonly publicScheme: 'http' | 'https';
  };
  readonly config: {
    readonly PIN_SNAPSHOT: PinSnapshot;
    readonly FETCH_URI_SCHEMES: readonly string[];
    readonly ALLOW_ANONYMOUS_DOWNLOAD: boolean;
  };
  readonly upstreams: { http(baseUrl: string): HttpClient; readonly external: ExternalClient | null };
  readonly emptyResults: 'keep' | 'omit';
  readonly processors: ReadonlyMap<string, ExternalProcessor>;
  readonly log: ExportLog;
  readonly meter: ProgressMeter;
  readonly signal: AbortSignal;
}

/** Prepares what the queries of a run work with: everything is asked for as the caller. */
export async function openRunContext(options: RunContextOptions): Promise<RunContext> {
  const { record, credentials, servers, config, upstreams, log, meter, signal } = options;
  const { request } = record;
  const server = servers.catalogs.find(({ publicHost }) => publicHost === request.catalog.publicHost);
  // the configuration may have changed since the request was made
  if (server === undefined) {
    throw new AppError('host_not_allowed', `${request.catalog.publicHost} is not configured any more.`);
  }
  if (
    record.owner === null &&
    !config.ALLOW_ANONYMOUS_DOWNLOAD &&
    request.queries.some(({ kind }) => kind === 'download')
  ) {
    throw new AppError('auth_required', 'Downloads into an export need a login.');
  }
  const formats = request.queries.map((query) => {
    if (query.kind === 'table') return query.format;
    return query.kind === 'external' ? query.type : query.kind;
  });
  log.info(
    `for ${record.ownerName ?? record.owner ?? 'an anonymous client'}: ${record.kind}, queries ${formats.join(', ')}`,
  );
  const all = [...servers.catalogs, ...servers.stores];
  const httpFor = (baseUrl: string): HttpClient => {
    const mode = all.find((known) => known.baseUrl === baseUrl)?.delegation ?? 'internal';
    return upstreams.http(baseUrl).as(credentials[mode]);
  };
  const publicOrigin = `${servers.publicScheme}://${server.publicHost}`;
  const catalog = await openCatalogSource({
    server,
    http: httpFor(server.baseUrl),
    catalog: request.catalog,
    publicOrigin,
    pinSnapshot: config.PIN_SNAPSHOT,
    log,
    signal,
  });
  log.info(`catalog ${catalog.url}`);
  return {
    catalog,
    assets: assetSource({
      settings: { stores: servers.stores, catalogs: servers.catalogs, schemes: config.FETCH_URI_SCHEMES },
      catalogOrigin: publicOrigin,
      httpFor,
      external: upstreams.external,
      signal,
    }),
    variables: runVariables(request.variables),
    provenance: provenance(),
    downloaded: new Map(),
    processors: options.processors,
    target: request.bag === null ? 'files' : 'archive',
    emptyResults: options.emptyResults,
    log,
    meter,
    signal,
  };
}
