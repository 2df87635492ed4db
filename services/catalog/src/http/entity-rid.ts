import { AppError, sendJson } from '@holdfast/http-kit';
import { join, literal, sql } from '@holdfast/pg-kit';
import { type RowRule, tableRule } from '../authorize/row-rule.js';
import { type Viewpoint, viewpointOf } from '../authorize/viewpoint.js';
import { LIVE } from '../history/moment.js';
import { catalogState } from '../model/catalog-state.js';
import type { Table } from '../model/model.js';
import { canonicalRid } from '../model/rid.js';
import { instanceSource } from '../sql/instance-sql.js';
import { type CatalogRequest, StalePresumption } from './catalog-request.js';
import { answeredByPrecondition, setValidators } from './data-answer.js';

/**
 * GET `entity_rid/<RID>`: which table a row is in (spec/catalog-data.md 6.5). One statement of index probes over the tables whose rows
 * the client may see; a row it may not see is as if it had never been.
 */
export async function resolveEntityRid(context: CatalogRequest, rid: string): Promise<void> {
  const { rights, model } = context;
  const tables = [...model.schemas.values()]
    .flatMap((schema) => [...schema.tables.values()])
    .filter(
      (table) =>
        table.hasSystemColumns &&
        table.relation === 'table' &&
        rights.always(table, 'enumerate') &&
        rights.somehow(table, 'select'),
    );
  const viewpoint = viewpointOf(rights, LIVE);
  const forms = [...new Set([rid, canonicalRid(rid) ?? rid])];
  const { found, state } = await context.catalog.database.transaction(
    { signal: context.signal, isolation: 'repeatable read', readOnly: true },
    async (connection) => {
      const state = await catalogState(connection);
      const moved = state.modelVersion !== model.version || state.changedByHand;
      if (context.presumed && moved) throw new StalePresumption();
      if (tables.length === 0) return { found: undefined, state };
      const probes = tables.map((table) => probe(table, tableRule(table, 'select', rights), viewpoint, forms));
      const [found] = await connection.query<{ rid: string; table_rid: string }>(
        sql`${join(probes, ' union all ')} limit 1`,
      );
      return { found, state };
    },
  );
  if (answeredByPrecondition(context, state)) return;
  const table = tables.find((candidate) => candidate.rid === found?.table_rid);
  if (found === undefined || table === undefined)
    throw new AppError('not_found', `There is no entity with the RID ${JSON.stringify(rid.slice(0, 100))}.`);
  setValidators(context, state);
  sendJson(context.request, context.response, 200, {
    RID: found.rid,
    schema_name: table.parent.name,
    table_name: table.name,
  });
}

function probe(table: Table, rule: RowRule, viewpoint: Viewpoint, forms: readonly string[]) {
  const source = instanceSource({ index: 0, table, alias: null }, { rows: rule, masks: [] }, viewpoint);
  return sql`(select t0."RID"::text as rid, ${literal(table.rid)} as table_rid from ${source} where t0."RID" = any(${forms}::text[]))`;
}
