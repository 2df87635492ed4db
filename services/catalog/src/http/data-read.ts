import { AppError } from '@holdfast/http-kit';
import { type DataOptions, interpretQuery } from '@holdfast/path-grammar';
import { type Connection, fromDatabase, inline, nothing, type Sql, sql } from '@holdfast/pg-kit';
import { negotiateTabular, type TabularFormat } from '@holdfast/tabular';
import type { Request } from 'express';
import { allOutputs, authorizeRead } from '../authorize/authorize-read.js';
import { CopyExchange } from '../execute/copy-exchange.js';
import { framed } from '../execute/copy-rows.js';
import { RestNotNeeded, type TimeBudget, timeBudget } from '../execute/time-budget.js';
import { type CatalogState, catalogState } from '../model/catalog-state.js';
import type { Model } from '../model/model.js';
import { planRead, type ReadPlan } from '../plan/read-plan.js';
import { type ReadResource, resolveRead } from '../resolve/resolve-read.js';
import { visibleModel } from '../resolve/visible-model.js';
import { copyOut } from '../sql/copy-out.js';
import { lockSql } from '../sql/lock-sql.js';
import { readSql } from '../sql/read-sql.js';
import { type CatalogRequest, StalePresumption } from './catalog-request.js';
import { answeredByPrecondition, sendRows, setContentHeaders, setValidators } from './data-answer.js';
import type { DataTarget } from './data-target.js';
import { type StateProbe, stateProbe, verifiedState } from './state-probe.js';
import { whileModelMoves } from './while-model-moves.js';

/**
 * GET and HEAD of the four row resources. The whole way: resolve, authorize, plan, compile, execute; on one database snapshot
 * with the model it was planned for.
 */
export async function readData(context: CatalogRequest, { resource, query }: DataTarget<ReadResource>): Promise<void> {
  const { request, catalog, settings } = context;
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const options = interpretQuery({ resource, query }, method);
  const format = negotiateTabular(request.get('accept'), options.accept ?? undefined);
  const budget = timeBudget(settings.readMilliseconds, context.signal);
  const steps: ReadSteps = {
    plan: (model) => planOf(context, model, resource, format, options),
    send: async (plan, state, rows) => {
      setValidators(context, state);
      setContentHeaders(context, format, options.download);
      const bytes = framed(rows, format, headerOf(plan));
      if ((await sendRows(context, bytes, budget.met)) === 'rest not needed') budget.abandon(new RestNotNeeded());
    },
  };
  const attempt = (
    onChangeByHand: 'step back' | 'go on',
    goesBy: (version: bigint) => void,
  ): Promise<'answered' | 'changed by hand'> =>
    catalog.database.transaction(
      { signal: budget.signal, isolation: 'repeatable read', readOnly: true },
      async (connection) => {
        await lockTables(connection, context.model, steps);
        const state = await catalogState(connection);
        if (state.changedByHand && onChangeByHand === 'step back') return 'changed by hand';
        const model =
          state.modelVersion === context.model.version
            ? context.model
            : (await context.models.current(catalog.database, catalog.key, { connection })).model;
        goesBy(model.version);
        const plan = steps.plan(model);
        if (answeredByPrecondition(context, state)) return 'answered';
        await steps.send(plan, state, connection.client.query(new CopyExchange(copyOut(readSql(plan), format))));
        return 'answered';
      },
    );
  try {
    if ((context.presumed || context.moment.kind === 'past') && !isConditional(request))
      return await readAtOnce(context, budget, steps, format);
    if (context.moment.kind === 'past') return await readPast(context, budget.signal, steps, format);
    const first = await whileModelMoves(context, (goesBy) => attempt('step back', goesBy));
    if (first === 'answered') return;
    // the model follows now, or cannot: then the model that is known has to do
    await context.models.current(catalog.database, catalog.key, { signal: budget.signal });
    await whileModelMoves(context, (goesBy) => attempt('go on', goesBy));
  } catch (error) {
    if (!(error instanceof RestNotNeeded)) throw error;
  } finally {
    budget.close();
  }
}

/** What reading does with a model and with rows, whichever way they are fetched. */
interface ReadSteps {
  plan(model: Model): ReadPlan;
  send(plan: ReadPlan, state: CatalogState, rows: AsyncIterable<Buffer>): Promise<void>;
}

/**
 * Reads by the model known last, in one round trip that also tells whether it still holds: probe and rows are of one database snapshot
 * (spec/catalog-model.md 24), since several statements in one message are one transaction.
 */
async function readAtOnce(
  context: CatalogRequest,
  budget: TimeBudget,
  steps: ReadSteps,
  format: TabularFormat,
): Promise<void> {
  const plan = steps.plan(context.model);
  const probe = stateProbe(context);
  await context.catalog.database.withConnection(budget.signal, async (connection) => {
    const exchange = connection.client.query(
      new CopyExchange(prologue(plan, probe) + copyOut(readSql(plan), format), 1),
    );
    try {
      const state = verified(probe, await toldState(exchange), budget);
      await steps.send(plan, state, exchange);
      await exchange.finished;
    } catch (error) {
      // nothing is left running when the refusal goes out: the next statement is answered after the cancelled one
      await exchange.return();
      await connection.client.query('rollback').catch(() => undefined);
      throw error;
    }
  });
}

/** What goes before the COPY of a read, and tells the state of the catalog in one row. */
function prologue({ authorized }: ReadPlan, { text }: StateProbe): string {
  return inline(sql`set transaction isolation level repeatable read read only; ${lockSql(authorized)}select ${text}; `);
}

/**
 * Locks what a read will need, so that its view of the database is not older than the tables. A model that has moved on since leaves
 * other tables unlocked: then only the next change of a type that comes at once can be in the way.
 */
async function lockTables(connection: Connection, model: Model, steps: ReadSteps): Promise<void> {
  const lock = inline(lockOf(steps, model));
  if (lock !== '') await connection.client.query(lock);
}

/** What was told, if the rows that follow can be used; else they are not waited for. */
function verified(probe: StateProbe, text: string, budget: TimeBudget): CatalogState {
  try {
    return probe.verified(text);
  } catch (error) {
    budget.abandon(error instanceof Error ? error : new StalePresumption());
    throw error;
  }
}

async function toldState(exchange: CopyExchange): Promise<string> {
  try {
    const [row] = await exchange.told;
    return row?.[0] ?? '';
  } catch (error) {
    throw fromDatabase(error, 'literals');
  }
}

/** Reads rows of a snapshot whose state is compared first. */
async function readPast(
  context: CatalogRequest,
  signal: AbortSignal,
  steps: ReadSteps,
  format: TabularFormat,
): Promise<void> {
  const { database } = context.catalog;
  await database.transaction({ signal, isolation: 'repeatable read', readOnly: true }, async (connection) => {
    await lockTables(connection, context.model, steps);
    const state = await verifiedState(context, connection);
    const plan = steps.plan(context.model);
    if (answeredByPrecondition(context, state)) return;
    await steps.send(plan, state, connection.client.query(new CopyExchange(copyOut(readSql(plan), format))));
  });
}

/** What cannot be planned is told when the state is known. */
function lockOf(steps: ReadSteps, model: Model): Sql {
  try {
    return lockSql(steps.plan(model).authorized);
  } catch (error) {
    if (error instanceof AppError) return nothing;
    throw error;
  }
}

/** With a precondition the state must be known before rows are asked for. */
function isConditional(request: Request): boolean {
  return request.get('if-match') !== undefined || request.get('if-none-match') !== undefined;
}

function planOf(
  context: CatalogRequest,
  model: Model,
  resource: ReadResource,
  format: TabularFormat,
  options: DataOptions,
): ReadPlan {
  const resolved = resolveRead(resource, visibleModel(model, context.rights));
  const authorized = authorizeRead(resolved, context.rights, context.client.client === null, context.moment);
  return planRead(authorized, format, options);
}

function headerOf(plan: ReadPlan): readonly string[] {
  return allOutputs(plan.authorized.read).map(({ name }) => name);
}
