import { AppError, sendEmpty } from '@holdfast/http-kit';
import { type AttributeResource, type EntityResource, interpretQuery } from '@holdfast/path-grammar';
import type { Connection, Sql } from '@holdfast/pg-kit';
import { authorizeRowChange, type RowChecks, refusedRow } from '../authorize/authorize-change.js';
import { type AuthorizedRead, authorizeRead } from '../authorize/authorize-read.js';
import { withoutHidden } from '../execute/hidden-constraint.js';
import { literalError } from '../execute/literal-error.js';
import type { Change } from '../history/change.js';
import { LIVE } from '../history/moment.js';
import type { Column, Model } from '../model/model.js';
import { resolveClearing } from '../resolve/resolve-deletion.js';
import { resolveRead } from '../resolve/resolve-read.js';
import { refuseUnwritable } from '../resolve/resolve-target.js';
import type { ResolvedRead } from '../resolve/resolved.js';
import { visibleModel } from '../resolve/visible-model.js';
import { clearSql, deleteSql, uncheckedSql } from '../sql/deletion-sql.js';
import type { CatalogRequest } from './catalog-request.js';
import { answeredByPrecondition, setValidators } from './data-answer.js';
import { changeData } from './data-change.js';
import type { DataTarget } from './data-target.js';

/** DELETE `entity/<path>` (spec/catalog-data.md 7.6). */
export async function deleteEntities(context: CatalogRequest, target: DataTarget<EntityResource>): Promise<void> {
  interpretQuery(target, 'DELETE');
  await changeEntities(context, (model) => {
    const read = resolveRead({ ...target.resource, sort: null }, visibleModel(model, context.rights));
    refuseUnwritable(read.path.context.table);
    return { read, access: 'delete', columns: [], statement: (entities) => deleteSql(entities) };
  });
}

/** DELETE `attribute/<path>/<columns>` (7.7). */
export async function deleteAttributes(context: CatalogRequest, target: DataTarget<AttributeResource>): Promise<void> {
  interpretQuery(target, 'DELETE');
  await changeEntities(context, (model) => {
    const { entities, targets } = resolveClearing(target.resource, visibleModel(model, context.rights));
    return {
      read: entities,
      access: 'update',
      columns: targets,
      statement: (authorized, change) => clearSql(authorized, targets, change),
    };
  });
}

interface PreparedChange {
  readonly entities: AuthorizedRead;
  readonly change: EntityChange;
  readonly checks: RowChecks;
}

interface EntityChange {
  readonly read: ResolvedRead;
  readonly access: 'delete' | 'update';
  readonly columns: readonly Column[];
  statement(entities: AuthorizedRead, change: Change): Sql;
}

async function changeEntities(context: CatalogRequest, resolve: (model: Model) => EntityChange): Promise<void> {
  const anonymous = context.client.client === null;
  const prepare = (model: Model): PreparedChange => {
    const change = resolve(model);
    answeredByPrecondition(context, context.state);
    const { table } = change.read.path.context;
    const checks = authorizeRowChange(table, change.access, change.columns, context.rights, anonymous);
    return { entities: authorizeRead(change.read, context.rights, anonymous, LIVE), change, checks };
  };
  prepare(context.model);
  const { state } = await context.catalog.database.withConnection(context.signal, (connection) =>
    changeData(context, connection, async ({ change: instant, model }) => {
      const { entities, change, checks } = prepare(model);
      if (checks.length > 0) await refuseForeignRows(connection, entities, change, checks);
      const count = await connection.execute(change.statement(entities, instant)).catch((error: unknown) => {
        throw withoutHidden(literalError(error), model, context.rights);
      });
      if (count === 0) throw new AppError('not_found', 'There are no entities matching request path.');
      return { result: null, content: { model: false, tables: [entities.read.path.context.table.rid] } };
    }).catch((error: unknown) => {
      // constraints that were deferred by hand speak at the commit
      throw withoutHidden(literalError(error), context.model, context.rights);
    }),
  );
  setValidators(context, state);
  sendEmpty(context.response, 204);
}

/** One row without the right, and nothing is changed (spec/catalog-access.md 8.4, point 4). */
async function refuseForeignRows(
  connection: Connection,
  entities: AuthorizedRead,
  { read, access }: EntityChange,
  checks: RowChecks,
): Promise<void> {
  const rows = await connection.query(uncheckedSql(entities, checks)).catch((error: unknown) => {
    throw literalError(error);
  });
  if (rows.length > 0) throw refusedRow(read.path.context.table, access);
}
