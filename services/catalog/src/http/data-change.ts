import { AppError } from '@holdfast/http-kit';
import { type Connection, inline, isSerializationFailure, retryOnCollision, type Sql, sql } from '@holdfast/pg-kit';
import type pg from 'pg';
import {
  beginChangeSql,
  type Change,
  lockError,
  type SnapshotContent,
  snapshotSql,
  toChange,
} from '../history/change.js';
import { type CatalogState, parseCatalogState, stateText } from '../model/catalog-state.js';
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
  readonly change: Change;
  /** The model under the writer lock. */
  readonly model: Model;
  /** Statements that record the snapshot and commit, for work that sends them with its own. */
  closing(content: SnapshotContent): Sql;
}

/** What the work of a change gives back; `content` null means that nothing changed. */
export interface ChangeOutcome<Result> {
  readonly result: Result;
  readonly content: SnapshotContent | null;
  /** Whether the work has sent the closing statements already. */
  readonly closed?: boolean;
}

/**
 * Runs a change of data: one transaction under the writer lock, preconditions looked at again there, the snapshot recorded when
 * something changed (spec/catalog-access.md 12.5, spec/catalog-data.md 7.1).
 * @param connection the one that holds the staged rows
 */
export async function changeData<Result>(
  context: CatalogRequest,
  connection: Connection,
  work: (parts: ChangeParts) => Promise<ChangeOutcome<Result>>,
): Promise<Changed<Result>> {
  const first = await retryOnCollision(() => attempt(context, connection, work, 'step back'));
  if (first !== 'changed by hand') return first;
  // the model follows now, or cannot: then the model that is known has to do
  await context.models.current(context.catalog.database, context.catalog.key, { signal: context.signal });
  const second = await retryOnCollision(() => attempt(context, connection, work, 'go on'));
  if (second === 'changed by hand') throw new AppError('internal', 'A change has stepped back twice.');
  return second;
}

async function attempt<Result>(
  context: CatalogRequest,
  connection: Connection,
  work: (parts: ChangeParts) => Promise<ChangeOutcome<Result>>,
  onChangeByHand: 'step back' | 'go on',
): Promise<'changed by hand' | Changed<Result>> {
  const { catalog, models } = context;
  const { client } = connection;
  try {
    const { change, state } = await openChange(context, connection);
    if (state.changedByHand && onChangeByHand === 'step back') {
      await client.query('rollback');
      return 'changed by hand';
    }
    answeredByPrecondition(context, state);
    const known = state.modelVersion === context.model.version;
    const model = known ? context.model : (await models.current(catalog.database, catalog.key, { connection })).model;
    const closing = (content: SnapshotContent): Sql => sql`${snapshotSql(change, content)}; commit`;
    const { result, content, closed = false } = await work({ change, model, closing });
    if (!closed) {
      context.signal.throwIfAborted();
      await client.query(content === null ? 'commit' : inline(closing(content)));
    }
    return { result, state: content === null ? state : { ...state, snapshot: change.micros } };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw collisionOf(error) ?? error;
  }
}

/**
 * Begins the transaction, the change and looks at the state, in one message to the server: a small change is mostly round trips.
 * Each statement has a view of its own, so the state is that after the lock was granted.
 */
async function openChange(
  { settings, client }: CatalogRequest,
  connection: Connection,
): Promise<{ readonly change: Change; readonly state: CatalogState }> {
  const clientId = client.client?.id ?? null;
  const text = inline(sql`begin isolation level read committed;
    select set_config('statement_timeout', ${String(settings.writeMilliseconds)}, true);
    ${beginChangeSql(clientId, settings.lockWaitMilliseconds)};
    select ${stateText} as state`);
  try {
    // the driver gives a list of results for a text of several statements, which its types do not say
    const results = (await connection.client.query(text)) as unknown as readonly pg.QueryResult[];
    const [begun, state] = results.slice(2);
    return {
      change: toChange(begun?.rows[0], clientId),
      state: parseCatalogState(state?.rows[0]?.state ?? ''),
    };
  } catch (error) {
    throw lockError(error);
  }
}

/** A collision with another transaction, under the words it may have been given for the client. */
function collisionOf(error: unknown): unknown {
  const cause = error instanceof AppError ? error.cause : null;
  return isSerializationFailure(cause) ? cause : null;
}
