import type { Logger } from '@holdfast/http-kit';
import { type Database, openDatabase, type Sql, sqlStateOf } from '@holdfast/pg-kit';
import type { OpenCatalog } from '../registry/open-catalog.js';
import type { LateIndex } from './creation-context.js';
import { createIndexConcurrently, dropIndexConcurrently } from './ddl.js';

const MOST_ATTEMPTS = 3;

/**
 * Builds indexes on tables with rows, after the change that asked for them has been committed and answered: an index built inside the
 * transaction of an ALTER TABLE would keep readers out until it is done (spec/catalog-model.md 20). They speed up queries and are not needed for
 * correct answers. A build that fails is repeated, then given up and logged. They use a connection of their own, which the
 * request's pool need not stay open for.
 */
export function buildLateIndexes(catalog: OpenCatalog, indexes: readonly LateIndex[], log: Logger): void {
  const database = openDatabase({
    url: catalog.databaseUrl,
    applicationName: 'holdfast-catalog index',
    maxConnections: 1,
  });
  buildAll(database, indexes, log)
    .catch((error: unknown) => log.error({ err: error }, 'indexes could not be built'))
    .finally(() => database.close());
}

async function buildAll(database: Database, indexes: readonly LateIndex[], log: Logger): Promise<void> {
  for (const index of indexes) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // a build that failed has left an invalid index of the name
        if (attempt > 1) await run(database, dropIndexConcurrently(index.schema, index.owner, index.plan));
        await run(database, createIndexConcurrently(index, index.owner, index.plan));
        break;
      } catch (error) {
        log.warn({ err: error, index, attempt }, 'an index could not be built');
        if (attempt === MOST_ATTEMPTS || isPointless(error)) break;
      }
    }
  }
}

async function run(database: Database, statement: Sql): Promise<void> {
  await database.withConnection(null, (connection) => connection.execute(statement));
}

/** The table or column has gone, or the values do not fit into an index. */
function isPointless(error: unknown): boolean {
  return /^(42|54|3D|3F)/.test(sqlStateOf(error) ?? '');
}
