import { pipeline } from 'node:stream/promises';
import { AppError } from '@holdfast/http-kit';
import { type DataOptions, type EntityResource, interpretQuery } from '@holdfast/path-grammar';
import { type Connection, inline } from '@holdfast/pg-kit';
import { copyRows } from '../execute/copy-rows.js';
import { type Spool, spool } from '../execute/spool.js';
import { inputError, type StagedInput, stageInput } from '../execute/stage-input.js';
import { suppliedRids } from '../execute/supplied-rids.js';
import type { Model } from '../model/model.js';
import { type InsertPlan, planInsert } from '../plan/insert-plan.js';
import { resolveTarget } from '../resolve/resolve-target.js';
import { visibleModel } from '../resolve/visible-model.js';
import { copyOut } from '../sql/copy-out.js';
import { duplicateInputSql, insertSql } from '../sql/insert-sql.js';
import type { CatalogRequest } from './catalog-request.js';
import { asBadSyntax } from './data.js';
import { answeredByPrecondition, setContentHeaders, setValidators } from './data-answer.js';
import type { DataTarget } from './data-read.js';
import { type ChangeParts, changeData, withStagingConnection, writeFormats } from './data-write.js';

/** POST `entity/<table>`: creates rows (spec/catalog-data.md 7.3). */
export async function createEntities(context: CatalogRequest, target: DataTarget<EntityResource>): Promise<void> {
  const options = asBadSyntax(() => interpretQuery(target, 'POST'));
  resolveTarget(target.resource.path, visibleModel(context.model, context.rights));
  answeredByPrecondition(context, context.state);
  const formats = writeFormats(context, options.accept);
  const plan = planFor(context, context.model, target.resource, options, formats);
  const { result, state } = await withStagingConnection(context, async (connection) => {
    const columns = { accepted: plan.accepted, required: plan.fromInput };
    const input = await stageInput(connection, context.request, formats.input, columns);
    return changeData(context, connection, async (parts) => {
      const again = () => planFor(context, parts.model, target.resource, options, formats);
      refuseMovedGround(plan, parts.model === context.model ? plan : again());
      const written = await insertRows(parts, plan, input, context);
      const content = written.rows === 0 ? null : { model: false, tables: [plan.table.rid] };
      return { result: written.answer, content };
    });
  });
  await answer(context, result, plan, () => setValidators(context, state));
}

function planFor(
  context: CatalogRequest,
  model: Model,
  resource: EntityResource,
  options: DataOptions,
  formats: ReturnType<typeof writeFormats>,
): InsertPlan {
  const visible = visibleModel(model, context.rights);
  const table = resolveTarget(resource.path, visible);
  return planInsert(table, options, formats, {
    rights: context.rights,
    visible,
    anonymous: context.client.client === null,
  });
}

/** The rows were staged for the table as it was when the request began. */
function refuseMovedGround(before: InsertPlan, now: InsertPlan): void {
  const shape = (plan: InsertPlan): string =>
    JSON.stringify([
      plan.table.rid,
      plan.table.name,
      plan.table.parent.name,
      plan.accepted.map(({ rid, name, type }) => [rid, name, type]),
    ]);
  if (shape(before) !== shape(now))
    throw new AppError('conflict', 'The table was altered while the rows were being sent; send them again.');
}

async function insertRows(
  { connection, change }: ChangeParts,
  plan: InsertPlan,
  input: StagedInput,
  { settings, rights, client }: CatalogRequest,
): Promise<{ readonly answer: Spool; readonly rows: number }> {
  if (plan.onConflict === 'abort') await refuseDuplicates(connection, plan, input);
  const rids = suppliedRids(plan, input.staging, { rights, client: client.client?.id ?? null });
  try {
    await rids?.check(connection);
    const rows = copyRows(
      connection,
      copyOut(insertSql(plan, input.staging, change), plan.answerFormat),
      plan.answerFormat,
      plan.answered.map(({ name }) => name),
    );
    const answered = await spool(rows.bytes, settings.spoolDirectory);
    await rids?.settle(connection);
    return { answer: answered, rows: rows.rowCount() };
  } catch (error) {
    throw inputError(error);
  }
}

async function refuseDuplicates(
  connection: Connection,
  plan: InsertPlan,
  { staging, rowCount }: StagedInput,
): Promise<void> {
  if (plan.metakey.length === 0 || rowCount < 2) return;
  const statement = inline(duplicateInputSql(plan.metakey, staging));
  const { rows } = await connection.client.query<{ first: string; last: string }>(statement).catch((error: unknown) => {
    throw inputError(error);
  });
  const [twice] = rows;
  if (twice !== undefined) {
    throw new AppError(
      'duplicate_input',
      `Rows ${twice.first} and ${twice.last} of the input have the same key (${plan.metakey.map(({ name }) => name).join(', ')}); send each once, or use onconflict=skip.`,
    );
  }
}

async function answer(
  context: CatalogRequest,
  content: Spool,
  plan: InsertPlan,
  validators: () => void,
): Promise<void> {
  const { response } = context;
  try {
    validators();
    setContentHeaders(context, plan.answerFormat, null);
    response.setHeader('Content-Length', content.bytes);
    response.status(200);
    await pipeline(content.read(), response);
  } finally {
    await content.discard();
  }
}
