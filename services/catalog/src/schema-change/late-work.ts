import type { Logger } from '@holdfast/http-kit';
import { type Database, openDatabase, type Sql, sqlStateOf } from '@holdfast/pg-kit';
import type { OpenCatalog } from '../registry/open-catalog.js';
import { validateConstraint } from './alter-ddl.js';
import type { LateWork } from './creation-context.js';
import { createIndexConcurrently, dropIndexConcurrently } from './ddl.js';

const MOST_ATTEMPTS = 3;

/**
 * Builds indexes on tables with rows and validates constraints, after the change that asked for it has been committed and answered: an
 * index built inside the transaction of an ALTER TABLE would keep readers out until it is done (spec/catalog-model.md 20). Correct
 * answers do not depend on it. What fails is repeated, then given up and logged. It is done on a connection of its own, which the
 * request's pool need not stay open for.
 */
export function doLateWork(catalog: OpenCatalog, work: readonly LateWork[], log: Logger): void {
  const database = openDatabase({
    url: catalog.databaseUrl,
    applicationName: 'holdfast-catalog late work',
    maxConnections: 1,
  });
  doAll(database, work, log)
    .catch((error: unknown) => log.error({ err: error }, 'late work could not be done'))
    .finally(() => database.close());
}

async function doAll(database: Database, work: readonly LateWork[], log: Logger): Promise<void> {
  for (const piece of work) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        for (const statement of statementsOf(piece, attempt)) await run(database, statement);
        break;
      } catch (error) {
        log.warn({ err: error, work: piece, attempt }, 'late work could not be done');
        if (attempt === MOST_ATTEMPTS || isPointless(error)) break;
      }
    }
  }
}

function statementsOf(work: LateWork, attempt: number): readonly Sql[] {
  switch (work.kind) {
    case 'index': {
      const { schema, owner, plan } = work;
      // a build that failed has left an invalid index of the name
      const again = attempt > 1 ? [dropIndexConcurrently(schema, owner, plan)] : [];
      return [...again, createIndexConcurrently(work, owner, plan)];
    }
    case 'validation':
      return [validateConstraint(work, work.constraint)];
    default:
      return work satisfies never;
  }
}

async function run(database: Database, statement: Sql): Promise<void> {
  await database.withConnection(null, (connection) => connection.execute(statement));
}

/** The table or column has gone, the values do not fit into an index, or they do not satisfy the constraint after all. */
function isPointless(error: unknown): boolean {
  return /^(23|42|54|3D|3F)/.test(sqlStateOf(error) ?? '');
}
