import { AppError, sendJson } from '@holdfast/http-kit';
import { type Connection, join, literal, type Sql, sql } from '@holdfast/pg-kit';
import { tableRule } from '../authorize/row-rule.js';
import { viewpointOf } from '../authorize/viewpoint.js';
import type { Moment } from '../history/moment.js';
import { type CatalogState, catalogState } from '../model/catalog-state.js';
import type { Model, Table } from '../model/model.js';
import { canonicalRid } from '../model/rid.js';
import { instanceSource } from '../sql/instance-sql.js';
import type { CatalogRequest } from './catalog-request.js';
import { answeredByPrecondition, setValidators } from './data-answer.js';
import { type GoneEntity, goneEntities } from './gone-entities.js';
import { verifiedState } from './state-probe.js';
import { whileModelMoves } from './while-model-moves.js';

/**
 * GET `entity_rid/<RID>`: which table a row is in, or was in when it was last seen (spec/catalog-data.md 6.5). A row that the client may
 * not see, or could not see then, is as if it had never been.
 */
export async function resolveEntityRid(context: CatalogRequest, rid: string): Promise<void> {
  const { found, gone, state } = await surely(context, rid);
  const document = found === null ? await lastSeen(context, gone) : entityDocument(found);
  // what is not there has no state that a precondition could be compared with
  if (document === null)
    throw new AppError('not_found', `There is no entity with the RID ${JSON.stringify(rid.slice(0, 100))}.`);
  if (answeredByPrecondition(context, state)) return;
  setValidators(context, state);
  sendJson(context.request, context.response, 200, document);
}

/** What was found: the row, or rows that are gone. */
interface Search {
  readonly state: CatalogState;
  readonly found: FoundEntity | null;
  readonly gone: readonly GoneEntity[];
}

const MOST_SEARCHES = 5;

/**
 * Searches again when nothing was found and the model has been changed meanwhile: a table that was written anew looks empty to a search
 * that began before.
 */
async function surely(context: CatalogRequest, rid: string): Promise<Search> {
  const { catalog, models, moment, signal } = context;
  for (let count = 1; ; count += 1) {
    const result = await whileModelMoves(context, (goesBy) => search(context, rid, goesBy));
    if (result.found !== null || count === MOST_SEARCHES) return result;
    const { state } = await models.current(catalog.database, catalog.key, { signal });
    const before = moment.kind === 'past' ? moment.storage.presentModel : result.state.modelVersion;
    if (state.modelVersion === before) return result;
  }
}

function search(context: CatalogRequest, rid: string, goesBy: (version: bigint) => void): Promise<Search> {
  const { catalog, signal } = context;
  const forms = [...new Set([rid, canonicalRid(rid) ?? rid])];
  return catalog.database.transaction({ signal, isolation: 'repeatable read', readOnly: true }, async (connection) => {
    const { state, model } = await groundOf(context, connection);
    goesBy(model.version);
    const ground = { model, moment: context.moment };
    const found = await findEntity(context, connection, ground, forms);
    return { state, found, gone: found === null ? await goneEntities(ground, connection, forms) : [] };
  });
}

/** The state in the view of the statements, and the model that goes with it. */
async function groundOf(
  context: CatalogRequest,
  connection: Connection,
): Promise<{ readonly state: CatalogState; readonly model: Model }> {
  const { catalog, model, models } = context;
  if (context.presumed || context.moment.kind === 'past')
    return { state: await verifiedState(context, connection), model };
  const state = await catalogState(connection);
  if (state.modelVersion === model.version) return { state, model };
  return { state, model: (await models.current(catalog.database, catalog.key, { connection })).model };
}

interface FoundEntity {
  readonly rid: string;
  readonly table: Table;
}

/** Looks for a row among those the client may see: one statement of index probes. */
async function findEntity(
  context: CatalogRequest,
  connection: Connection,
  { model, moment }: { readonly model: Model; readonly moment: Moment },
  forms: readonly string[],
  only: string | null = null,
): Promise<FoundEntity | null> {
  const { rights } = context;
  const tables = [...model.schemas.values()]
    .flatMap((schema) => [...schema.tables.values()])
    .filter(
      (table) =>
        (only === null || table.rid === only) &&
        table.hasSystemColumns &&
        table.relation === 'table' &&
        rights.always(table, 'enumerate') &&
        rights.somehow(table, 'select'),
    );
  if (tables.length === 0) return null;
  const probe = (table: Table): Sql => {
    const rule = { rows: tableRule(table, 'select', rights), masks: [] };
    const source = instanceSource({ index: 0, table, alias: null }, rule, viewpointOf(rights, moment));
    return sql`(select t0."RID"::text as rid, ${literal(table.rid)} as table_rid from ${source}
      where t0."RID" = any(${forms}::text[]))`;
  };
  const [row] = await connection.query<{ readonly rid: string; readonly table_rid: string }>(
    sql`${join(tables.map(probe), ' union all ')} limit 1`,
  );
  const table = tables.find((candidate) => candidate.rid === row?.table_rid);
  return row === undefined || table === undefined ? null : { rid: row.rid, table };
}

function entityDocument({ rid, table }: FoundEntity): object {
  return { RID: rid, schema_name: table.parent.name, table_name: table.name };
}

/** The entity that was removed last of those the client could see at their last snapshot, by the rules and names of then. */
async function lastSeen(context: CatalogRequest, gone: readonly GoneEntity[]): Promise<object | null> {
  const { catalog, pasts, signal } = context;
  for (const { rid, tableRid, removal, lastSnapshot } of gone) {
    const past = await pasts.at(catalog.database, catalog.key, lastSnapshot.micros, signal);
    if (past === null) continue;
    const found = await catalog.database.withConnection(signal, (connection) =>
      findEntity(context, connection, past, [rid], tableRid),
    );
    if (found === null) continue;
    return {
      ...entityDocument(found),
      deleted_at: removal,
      last_visible_at: lastSnapshot.text,
      last_visible_snaptime: lastSnapshot.id,
    };
  }
  return null;
}
