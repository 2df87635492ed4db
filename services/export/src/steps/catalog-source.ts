import { catalogClient, type DataAnswer, type HttpClient, HttpError, type RowFormat } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import type { ExportLog } from '../job/export-log.js';
import type { CatalogServer } from '../request/catalog-host.js';
import type { ExportRequest } from '../request/export-request.js';
import { upstreamError } from './upstream-error.js';

/** Whether all queries read one snapshot (spec/export.md 7.1). */
export type PinSnapshot = 'true' | 'strict' | 'false';

/** What a catalog source is made of. */
export interface CatalogSourceOptions {
  readonly server: CatalogServer;
  /** Speaks to the server as the caller. */
  readonly http: HttpClient;
  readonly catalog: ExportRequest['catalog'];
  /** Scheme and public host, for people. */
  readonly publicOrigin: string;
  readonly pinSnapshot: PinSnapshot;
  readonly log: ExportLog;
  readonly signal: AbortSignal;
}

/** The catalog as one export sees it: with the caller's rights, at one moment. */
export interface CatalogSource {
  /** Public URL of the catalog, with the snapshot that is read. */
  readonly url: string;
  /**
   * Runs a query and streams its answer.
   * @param path checked, below the catalog
   * @throws {AppError} by the table of spec/export.md 11
   */
  query(path: string, accept: RowFormat): Promise<CatalogAnswer>;
}

/** An answer of the media type asked for. */
export interface CatalogAnswer {
  readonly answer: DataAnswer;
  /** The snapshot refused the query, so that it was run on the catalog as it is now. */
  readonly live: boolean;
}

/** Finds out which snapshot to read, if one is to be read. */
export async function openCatalogSource(options: CatalogSourceOptions): Promise<CatalogSource> {
  const { server, http, catalog, log, signal } = options;
  const client = catalogClient(http, server.path.replace(/\/catalog\/$/, '')).catalog(catalog.id);
  const snapshot = catalog.snapshot ?? (await snapshotToPin(options));
  const ask = async (path: string, accept: RowFormat, at: string | null): Promise<DataAnswer> => {
    const what = `The catalog refused ${path}`;
    try {
      const answer = await client.query(path, { accept, signal, ...(at === null ? {} : { snapshot: at }) });
      if (answer.contentType === accept) return answer;
      answer.abandon();
      // a login page must not become a CSV file (spec/export.md 5.1)
      const found = answer.contentType === '' ? 'nothing that says what it is' : answer.contentType;
      throw new AppError('upstream_failed', `The catalog answered ${path} with ${found} instead of ${accept}.`);
    } catch (error) {
      throw isSnapshotRefusal(error) && at !== null ? error : upstreamError(error, what);
    }
  };
  return {
    url: `${options.publicOrigin}${server.path}${catalog.id}${snapshot === null ? '' : `@${snapshot}`}`,
    query: async (path, accept) => {
      try {
        return { answer: await ask(path, accept, snapshot), live: false };
      } catch (error) {
        const pinned = snapshot !== null && catalog.snapshot === null;
        if (!pinned || options.pinSnapshot === 'strict' || !isSnapshotRefusal(error)) {
          throw upstreamError(error, `The catalog refused ${path}`);
        }
        const answer = await ask(path, accept, null);
        log.warning(`${path} was refused at the snapshot (${error.status}: ${error.detail}) and read live`);
        return { answer, live: true };
      }
    },
  };
}

async function snapshotToPin(options: CatalogSourceOptions): Promise<string | null> {
  const { server, http, catalog, log, signal, pinSnapshot } = options;
  if (pinSnapshot === 'false') return null;
  const client = catalogClient(http, server.path.replace(/\/catalog\/$/, '')).catalog(catalog.id);
  try {
    const { snaptime } = await client.describe({ signal });
    if (/^[A-Za-z0-9._~-]+$/.test(snaptime)) return snaptime;
  } catch (error) {
    throw upstreamError(error, `The catalog refused its description`);
  }
  log.warning('the catalog tells no snapshot; its tables are read one after another as they are');
  return null;
}

/**
 * What a catalog says of a table that has no history there, or of a snapshot that it cannot read (404, 409, spec/export.md 7.1), or of
 * snapshots altogether.
 */
function isSnapshotRefusal(error: unknown): error is HttpError {
  return error instanceof HttpError && ([404, 409, 501].includes(error.status) || error.code === 'bad_snapshot');
}
