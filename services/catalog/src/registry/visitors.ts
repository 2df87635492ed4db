import type { Logger } from '@holdfast/http-kit';
import { type ClientContext, toClientDocument } from '@holdfast/identity';
import { type Connection, type Database, identifier, join, type Sql, sql } from '@holdfast/pg-kit';
import type { BuiltinTable, Model } from '../model/model.js';

/** Keeps the rows of the built-in tables of clients and groups (spec/catalog-model.md 23). */
export interface Visitors {
  /**
   * Makes sure that the rows of a client are there, as they were within the last half minute. Never fails: what goes wrong is logged.
   * A request that changes something waits for it, because foreign keys may refer to the row; others do not.
   */
  welcome(database: Database, catalogKey: string, model: Model, client: ClientContext): Promise<void>;
}

const REFRESH_MILLISECONDS = 30_000;
const MOST_REMEMBERED = 10_000;

/** Makes the keeper; `now` is for tests. */
export function visitorRows(log: Logger, now: () => number = Date.now): Visitors {
  const seen = new Map<string, { readonly until: number; readonly done: Promise<void> }>();
  return {
    welcome: (database, catalogKey, model, client) => {
      if (client.client === null) return Promise.resolve();
      const key = `${catalogKey} ${client.client.id}`;
      const known = seen.get(key);
      if (known !== undefined && known.until > now()) return known.done;
      const done = database
        .withConnection(null, (connection) => upsert(connection, model, client))
        .catch((error: unknown) => {
          seen.delete(key);
          log.warn({ err: error, client: client.client?.id }, 'the row of a client could not be written');
        });
      seen.delete(key);
      seen.set(key, { until: now() + REFRESH_MILLISECONDS, done });
      const oldest = seen.keys().next();
      if (seen.size > MOST_REMEMBERED && oldest.done !== true) seen.delete(oldest.value);
      return done;
    },
  };
}

/** One statement per table that exists. */
async function upsert(connection: Connection, model: Model, context: ClientContext): Promise<void> {
  const { client, attributes } = context;
  if (client === null) return;
  const clients = builtinTable(model, 'client');
  if (clients !== null) {
    await connection.execute(
      upsertRows(
        clients,
        ['Display_Name', 'Full_Name', 'Email', 'Client_Object'],
        [
          sql`(${client.id}, ${client.displayName ?? null}, ${client.fullName ?? null}, ${client.email ?? null},
               ${JSON.stringify(toClientDocument(client))}::jsonb)`,
        ],
      ),
    );
  }
  const groups = builtinTable(model, 'group');
  const named = attributes.filter(({ id, displayName }) => displayName !== undefined && id !== client.id);
  if (groups !== null && named.length > 0) {
    const rows = named.map(({ id, displayName }) => sql`(${id}, ${displayName ?? null})`);
    await connection.execute(upsertRows(groups, ['Display_Name'], rows));
  }
}

/**
 * Inserts rows or refreshes those that changed. These writes make no snapshot, so the system columns are set here and not by their
 * defaults, which belong to changes.
 */
function upsertRows(table: Sql, columns: readonly string[], rows: readonly Sql[]): Sql {
  const names = join(columns.map((name) => identifier(name)));
  const given = join(columns.map((name) => identifier('given', name)));
  const stored = join(columns.map((name) => identifier('stored', name)));
  const fresh = join(columns.map((name) => identifier('excluded', name)));
  return sql`
    insert into ${table} as stored ("ID", "RCT", "RMT", ${names})
      select "ID", clock_timestamp(), clock_timestamp(), ${given}
        from (values ${join(rows)}) as given ("ID", ${names})
      on conflict ("ID") do update
        set (${names}, "RMT") = row (${fresh}, clock_timestamp())
        where (${stored}) is distinct from (${fresh})`;
}

function builtinTable(model: Model, builtin: BuiltinTable): Sql | null {
  for (const schema of model.schemas.values())
    for (const table of schema.tables.values())
      if (table.builtin === builtin) return identifier(schema.name, table.name);
  return null;
}
