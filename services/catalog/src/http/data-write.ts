import { pipeline } from 'node:stream/promises';
import {
  AppError,
  mediaTypeOf,
  refuseContentCoding,
  type Spool,
  sendContinue,
  type WireProfile,
} from '@holdfast/http-kit';
import { type AttributeGroupResource, type EntityResource, interpretQuery } from '@holdfast/path-grammar';
import { sqlStateOf } from '@holdfast/pg-kit';
import { negotiateTabular, parseTabularContentType } from '@holdfast/tabular';
import type { Request } from 'express';
import { withoutHidden } from '../execute/hidden-constraint.js';
import { withInputRow } from '../execute/input-fault.js';
import { insertRows } from '../execute/insert-rows.js';
import { dropStage, readShortInput, stageInput } from '../execute/stage-input.js';
import { updateRows } from '../execute/update-rows.js';
import { upsertRows } from '../execute/upsert-rows.js';
import type { WriteParts, WrittenRows } from '../execute/written-rows.js';
import type { Model } from '../model/model.js';
import { planInsert } from '../plan/insert-plan.js';
import { planUpdate } from '../plan/update-plan.js';
import { planUpsert } from '../plan/upsert-plan.js';
import type { WriteFormats, WritePlan, Writer } from '../plan/write-plan.js';
import { resolveTarget } from '../resolve/resolve-target.js';
import { resolveUpdate } from '../resolve/resolve-update.js';
import { visibleModel } from '../resolve/visible-model.js';
import type { CatalogRequest } from './catalog-request.js';
import { answeredByPrecondition, setContentHeaders, setValidators } from './data-answer.js';
import { changeData } from './data-change.js';
import type { DataTarget } from './data-target.js';

/** POST `entity/<table>`: creates rows (spec/catalog-data.md 7.3). */
export async function createEntities(context: CatalogRequest, target: DataTarget<EntityResource>): Promise<void> {
  const options = interpretQuery(target, 'POST');
  await writeRows(context, options.accept, {
    resolve: (writer) => resolveTarget(target.resource.path, writer.visible),
    plan: (table, formats, writer) => planInsert(table, options, formats, writer),
    write: (parts, plan) => insertRows(parts, plan, context.rights),
  });
}

/** PUT `entity/<table>`: updates the rows whose keys are stored, creates the others (7.4). */
export async function putEntities(context: CatalogRequest, target: DataTarget<EntityResource>): Promise<void> {
  const options = interpretQuery(target, 'PUT');
  await writeRows(context, options.accept, {
    resolve: (writer) => resolveTarget(target.resource.path, writer.visible),
    plan: planUpsert,
    write: upsertRows,
  });
}

/** PUT `attributegroup/<table>/<keys>;<targets>`: updates rows by key columns (7.5). */
export async function putAttributeGroup(
  context: CatalogRequest,
  target: DataTarget<AttributeGroupResource>,
): Promise<void> {
  const options = interpretQuery(target, 'PUT');
  await writeRows(context, options.accept, {
    resolve: (writer) => resolveUpdate(target.resource, writer.visible),
    plan: planUpdate,
    write: updateRows,
  });
}

interface RowWrite<Resolved, Plan extends WritePlan> {
  resolve(writer: Writer): Resolved;
  plan(resolved: Resolved, formats: WriteFormats, writer: Writer): Plan;
  write(parts: WriteParts, plan: Plan): Promise<WrittenRows>;
}

/**
 * The way of every write of rows: names, preconditions, media type, rights; then the rows are staged, and only after that the
 * change begins (spec/catalog-data.md 7.1.5). The answer leaves after the commit.
 */
async function writeRows<Resolved, Plan extends WritePlan>(
  context: CatalogRequest,
  accept: string | null,
  way: RowWrite<Resolved, Plan>,
): Promise<void> {
  const resolved = way.resolve(writerOf(context, context.model));
  answeredByPrecondition(context, context.state);
  const formats = writeFormats(context, accept);
  const plan = way.plan(resolved, formats, writerOf(context, context.model));
  const replan = (model: Model): Plan => {
    const writer = writerOf(context, model);
    const current = way.plan(way.resolve(writer), formats, writer);
    refuseMovedGround(plan, current);
    return current;
  };
  const spools: Spool[] = [];
  const { request } = context;
  const columns = { accepted: plan.accepted, required: plan.fromInput, ignored: plan.ignored };
  sendContinue(request);
  const short = await readShortInput(request, announcedLength(request), formats.input, columns);
  const done = context.catalog.database.withConnection(context.signal, async (connection) => {
    try {
      const input = short ?? (await stageInput(connection, request, formats.input, columns));
      const changed = changeData(context, connection, async ({ change, model, closing }) => {
        const content = { model: false, tables: [plan.table.rid] };
        const current = model === context.model ? plan : replan(model);
        const { spoolDirectory } = context.settings;
        const parts = { connection, change, input, closing: closing(content), spoolDirectory };
        const written = await way.write(parts, current).catch((error: unknown) => {
          throw asInputViolation(withoutHidden(error, model, context.rights), context.profile);
        });
        spools.push(written.answer);
        return {
          result: written.answer,
          content: written.tables.length === 0 ? null : { model: false, tables: written.tables },
          closed: written.closed,
        };
      });
      return await changed.catch(async (error: unknown) => {
        throw await withInputRow(connection, { table: plan.table, fromInput: plan.fromInput, input }, error);
      });
    } finally {
      if (short === null) await dropStage(connection).catch(() => undefined);
    }
  });
  try {
    const { result, state } = await done;
    setValidators(context, state);
    await sendSpool(context, result, plan);
  } finally {
    await Promise.all(spools.map((spool) => spool.discard()));
  }
}

/** Clients of one profile look for a sentence before the database's own (spec/catalog-data.md 9.3). */
function asInputViolation(error: unknown, profile: WireProfile): unknown {
  if (profile.inputViolationPrefix === '' || !(error instanceof AppError)) return error;
  const state = sqlStateOf(error.cause);
  if (state !== UNIQUE_VIOLATION && state !== FOREIGN_KEY_VIOLATION) return error;
  return new AppError(error.code, profile.inputViolationPrefix + error.detail, { cause: error.cause });
}

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

/** Bytes of the body by its header; null when it does not say. */
function announcedLength(request: Request): number | null {
  const header = request.get('content-length');
  return header === undefined ? null : Number(header);
}

function writerOf(context: CatalogRequest, model: Model): Writer {
  return {
    rights: context.rights,
    visible: visibleModel(model, context.rights),
    anonymous: context.client.client === null,
  };
}

/** Format of the body and of the answer (spec/catalog-data.md 4.1). */
function writeFormats({ request }: CatalogRequest, accept: string | null): WriteFormats {
  refuseContentCoding(request);
  const decision = parseTabularContentType(request.get('content-type'));
  if (decision.kind === 'unsupported') {
    throw new AppError(
      'bad_media_type',
      `The media type ${JSON.stringify(mediaTypeOf(request.get('content-type')))} cannot be read: ${decision.reason}.`,
    );
  }
  return {
    input: decision.format,
    answer: negotiateTabular(request.get('accept'), accept ?? undefined, decision.format),
  };
}

/** The rows were staged for the table as it was when the request began. */
function refuseMovedGround(before: WritePlan, now: WritePlan): void {
  const shape = ({ table, accepted, fromInput }: WritePlan): string =>
    JSON.stringify([
      table.rid,
      table.name,
      table.parent.name,
      accepted.map(({ rid, name, type }) => [rid, name, type]),
      fromInput.map(({ rid }) => rid),
    ]);
  if (shape(before) !== shape(now))
    throw new AppError('conflict', 'The table was altered while the rows were being sent; send them again.');
}

async function sendSpool(context: CatalogRequest, content: Spool, plan: WritePlan): Promise<void> {
  const { response } = context;
  setContentHeaders(context, plan.formats.answer, null);
  response.setHeader('Content-Length', content.bytes);
  response.status(200);
  if (content.whole === null) await pipeline(content.read(), response);
  else response.end(content.whole);
}
