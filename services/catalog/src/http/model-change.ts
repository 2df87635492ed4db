import { AppError, contextOf } from '@holdfast/http-kit';
import { retryOnCollision, sql } from '@holdfast/pg-kit';
import { beginChange, recordSnapshot } from '../history/change.js';
import type { CatalogState } from '../model/catalog-state.js';
import { loadModel } from '../model/load-model.js';
import { followModel } from '../schema-change/history-capture.js';
import { enterLateWork, type LateWork } from '../schema-change/late-work-list.js';
import type { ModelEdit } from '../schema-change/model-edit.js';
import type { CatalogRequest } from './catalog-request.js';
import { catalogTag } from './entity-tags.js';
import type { ModelView } from './model-view.js';
import { answeredByPreconditions } from './tagged-answer.js';

/** What a change left behind: the model after it as the client sees it, and the entity tag of every model resource. */
export interface ChangedModel<Result> {
  readonly result: Result;
  readonly view: ModelView;
  readonly etag: string;
}

/** The model of a request as its client sees it. */
export function viewOf(context: CatalogRequest): ModelView {
  const { model, rights, profile, snapshot } = context;
  return { model, rights, profile, snapshot: snapshot !== null };
}

/**
 * Changes the model of a catalog in one transaction under the writer lock: preconditions and everything else are checked against the
 * model as it is then, and DDL and bookkeeping commit together. The body of the request must have been read before.
 * @param work makes the change; it is run again when it collides with another transaction
 */
export async function changeModel<Result>(
  context: CatalogRequest,
  work: (edit: ModelEdit, view: ModelView) => Promise<Result>,
): Promise<ChangedModel<Result>> {
  const { catalog, models, lateWork, signal } = context;
  let outcome = await retryOnCollision(() => attempt(context, work, 'step back'));
  if (outcome === 'changed by hand') {
    // the model follows now, or cannot: then the change is made of the model that is known
    await models.current(catalog.database, catalog.key, { signal });
    outcome = await retryOnCollision(() => attempt(context, work, 'go on'));
  }
  if (outcome === 'changed by hand') throw new AppError('internal', 'A change has stepped back twice.');
  models.remember(catalog.key, outcome.view.model);
  lateWork.look(catalog, outcome.view.model.version);
  return outcome;
}

async function attempt<Result>(
  context: CatalogRequest,
  work: (edit: ModelEdit, view: ModelView) => Promise<Result>,
  onChangeByHand: 'step back' | 'go on',
): Promise<'changed by hand' | ChangedModel<Result>> {
  const { catalog, client, rights, settings, signal } = context;
  return catalog.database.transaction({ signal }, async (connection) => {
    const change = await beginChange(connection, client.client?.id ?? null, settings.lockWaitMilliseconds);
    await connection.execute(sql`select set_config('statement_timeout', ${String(settings.writeMilliseconds)}, true)`);
    const before = await context.models.current(catalog.database, catalog.key, { connection });
    if (before.state.changedByHand && onChangeByHand === 'step back') return 'changed by hand';
    const view = { ...viewOf(context), model: before.model };
    refuseStale(context, before.state);
    let changed = false;
    const lateWork: LateWork[] = [];
    const edit: ModelEdit = {
      connection,
      change,
      model: before.model,
      client,
      rights,
      registrants: settings.registrants,
      touch: () => {
        changed = true;
      },
      lateWork,
      log: contextOf(context.request).log,
    };
    const result = await work(edit, view);
    if (!changed) return { result, view, etag: catalogTag(context, 'model', before.state) };
    await enterLateWork(connection, lateWork);
    await followModel(connection, change);
    await recordSnapshot(connection, change, { model: true, tables: [] });
    const state: CatalogState = { ...before.state, modelVersion: change.micros, snapshot: change.micros };
    const model = await loadModel(connection, change.micros);
    return { result, view: { ...view, model }, etag: catalogTag(context, 'model', state) };
  });
}

function refuseStale(context: CatalogRequest, state: CatalogState): void {
  const etag = catalogTag(context, 'model', state);
  if (answeredByPreconditions(context.request, context.response, context.profile, etag))
    throw new AppError('internal', 'A change was answered like a read.');
}
