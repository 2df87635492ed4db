import { AppError, mediaTypeOf, refuseContentCoding, sendContinue } from '@holdfast/http-kit';
import type { Connection } from '@holdfast/pg-kit';
import { sql } from '@holdfast/pg-kit';
import { negotiateTabular, parseTabularContentType, type TabularFormat } from '@holdfast/tabular';
import { dropStage } from '../execute/stage-input.js';
import { beginChange, type Change, recordSnapshot, type SnapshotContent } from '../history/change.js';
import type { CatalogState } from '../model/catalog-state.js';
import { catalogState } from '../model/catalog-state.js';
import type { Model } from '../model/model.js';
import type { CatalogRequest } from './catalog-request.js';
import { answeredByPrecondition } from './data-answer.js';

/** What a change of data gives back to the request that asked for it. */
export interface Changed<Result> {
  readonly result: Result;
  /** The state after the change: what its entity tag stands for. */
  readonly state: CatalogState;
}

/** What the work of a change is given. */
export interface ChangeParts {
  readonly connection: Connection;
  readonly change: Change;
  /** The model under the writer lock. */
  readonly model: Model;
}

/**
 * Runs a change of data: one transaction under the writer lock, preconditions looked at again there, the snapshot recorded when
 * something changed (spec/catalog-access.md 12.5, spec/catalog-data.md 7.1).
 * @param connection one that holds the staged rows
 * @param work makes the change; `content` null means that nothing changed
 */
export async function changeData<Result>(
  context: CatalogRequest,
  connection: Connection,
  work: (parts: ChangeParts) => Promise<{ readonly result: Result; readonly content: SnapshotContent | null }>,
): Promise<Changed<Result>> {
  const { catalog, settings, models } = context;
  const { client } = connection;
  await client.query('begin isolation level read committed');
  try {
    await connection.execute(sql`select set_config('statement_timeout', ${String(settings.writeMilliseconds)}, true)`);
    const change = await beginChange(connection, context.client.client?.id ?? null, settings.lockWaitMilliseconds);
    const state = await catalogState(connection);
    answeredByPrecondition(context, state);
    const model =
      state.modelVersion === context.model.version
        ? context.model
        : (await models.current(catalog.database, catalog.key, { connection })).model;
    const { result, content } = await work({ connection, change, model });
    if (content !== null) await recordSnapshot(connection, change, content);
    context.signal.throwIfAborted();
    await client.query('commit');
    return { result, state: content === null ? state : { ...state, snapshot: change.micros } };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Lends a connection for a change with staged rows, and cleans up behind it. */
export function withStagingConnection<Result>(
  context: CatalogRequest,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return context.catalog.database.withConnection(context.signal, async (connection) => {
    try {
      return await work(connection);
    } finally {
      await dropStage(connection).catch(() => undefined);
    }
  });
}

/**
 * Format of the body and of the answer (spec/catalog-data.md 4.1); the body may come from here on.
 * @throws {AppError} `bad_media_type`
 */
export function writeFormats(
  context: CatalogRequest,
  accept: string | null,
): { readonly input: TabularFormat; readonly answer: TabularFormat } {
  const { request } = context;
  refuseContentCoding(request);
  const decision = parseTabularContentType(request.get('content-type'));
  if (decision.kind === 'unsupported') {
    throw new AppError(
      'bad_media_type',
      `Rows are sent as application/json, application/x-json-stream or text/csv in UTF-8, not ${JSON.stringify(mediaTypeOf(request.get('content-type')))}.`,
    );
  }
  sendContinue(request);
  return {
    input: decision.format,
    answer: negotiateTabular(request.get('accept'), accept ?? undefined, decision.format),
  };
}
