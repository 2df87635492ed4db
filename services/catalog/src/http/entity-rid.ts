import type { RightsEvaluator } from '@holdfast/acl';
import { AppError, sendJson } from '@holdfast/http-kit';
import { join, literal, sql } from '@holdfast/pg-kit';
import { type RowRule, tableRule } from '../authorize/row-rule.js';
import { type Viewpoint, viewpointOf } from '../authorize/viewpoint.js';
import { LIVE } from '../history/moment.js';
import { type CatalogState, catalogState } from '../model/catalog-state.js';
import type { Model, Table } from '../model/model.js';
import { canonicalRid } from '../model/rid.js';
import { instanceSource } from '../sql/instance-sql.js';
import { type CatalogRequest, StalePresumption } from './catalog-request.js';
import { answeredByPrecondition, setValidators } from './data-answer.js';
import { whileModelMoves } from './while-model-moves.js';

/**
 * GET `entity_rid/<RID>`: which table a row is in (spec/catalog-data.md 6.5). One statement of index probes over the tables whose rows
 * the client may see; a row it may not see is as if it had never been.
 */
export async function resolveEntityRid(context: CatalogRequest, rid: string): Promise<void> {
  const { found, state } = await whileModelMoves(context, (goesBy) => findRow(context, rid, goesBy));
  if (answeredByPrecondition(context, state)) return;
  if (found === null)
    throw new AppError('not_found', `There is no entity with the RID ${JSON.stringify(rid.slice(0, 100))}.`);
  setValidators(context, state);
  sendJson(context.request, context.response, 200, {
    RID: found.rid,
    schema_name: found.table.parent.name,
    table_name: found.table.name,
  });
}

/** A row and its table. */
interface FoundRow {
  readonly rid: string;
  readonly table: Table;
}

function findRow(
  context: CatalogRequest,
  rid: string,
  goesBy: (version: bigint) => void,
): Promise<{ readonly found: FoundRow | null; readonly state: CatalogState }> {
  const { catalog, models, rights, signal } = context;
  const viewpoint = viewpointOf(rights, LIVE);
  const forms = [...new Set([rid, canonicalRid(rid) ?? rid])];
  return catalog.database.transaction({ signal, isolation: 'repeatable read', readOnly: true }, async (connection) => {
    const state = await catalogState(connection);
    const moved = state.modelVersion !== context.model.version;
    if (context.presumed && (moved || state.changedByHand)) throw new StalePresumption();
    const isOld = moved && context.snapshot === null;
    const model = isOld ? (await models.current(catalog.database, catalog.key, { connection })).model : context.model;
    goesBy(model.version);
    const tables = tablesToSearch(model, rights);
    if (tables.length === 0) return { found: null, state };
    const probes = tables.map((table) => probe(table, tableRule(table, 'select', rights), viewpoint, forms));
    const [row] = await connection.query<{ readonly rid: string; readonly table_rid: string }>(
      sql`${join(probes, ' union all ')} limit 1`,
    );
    const table = tables.find((candidate) => candidate.rid === row?.table_rid);
    return { found: row === undefined || table === undefined ? null : { rid: row.rid, table }, state };
  });
}

/** Tables of whose rows the client may see some. */
function tablesToSearch(model: Model, rights: RightsEvaluator): readonly Table[] {
  return [...model.schemas.values()]
    .flatMap((schema) => [...schema.tables.values()])
    .filter(
      (table) =>
        table.hasSystemColumns &&
        table.relation === 'table' &&
        rights.always(table, 'enumerate') &&
        rights.somehow(table, 'select'),
    );
}

function probe(table: Table, rule: RowRule, viewpoint: Viewpoint, forms: readonly string[]) {
  const source = instanceSource({ index: 0, table, alias: null }, { rows: rule, masks: [] }, viewpoint);
  return sql`(select t0."RID"::text as rid, ${literal(table.rid)} as table_rid from ${source} where t0."RID" = any(${forms}::text[]))`;
}
