import type { Logger } from '@holdfast/http-kit';
import { type ClientContext, toClientDocument } from '@holdfast/identity';
import { type Database, identifier, join, type Sql, sql } from '@holdfast/pg-kit';
import { beginChange, type Change } from '../history/change.js';
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

/** Requests that change something wait for the rows of their client. */
const LOCK_WAIT_MILLISECONDS = 2_000;

/** Makes the keeper; `now` is for tests. */
export function visitorRows(log: Logger, now: () => number = Date.now): Visitors {
  const seen = new Map<string, { readonly until: number; readonly done: Promise<void> }>();
  return {
    welcome: (database, catalogKey, model, client) => {
      if (client.client === null) return Promise.resolve();
      const key = `${catalogKey} ${client.client.id}`;
      const known = seen.get(key);
      if (known !== undefined && known.until > now()) return known.done;
      const done = refresh(database, rowsOf(model, client)).catch((error: unknown) => {
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

/** Rows of one of the tables as they should be. */
interface WantedRows {
  readonly table: Sql;
  /** Beside `ID`. */
  readonly columns: readonly string[];
  /** Values of `ID` and the columns. */
  readonly rows: readonly Sql[];
}

function rowsOf(model: Model, { client, attributes }: ClientContext): readonly WantedRows[] {
  if (client === null) return [];
  const own = sql`(${client.id}, ${client.displayName ?? null}, ${client.fullName ?? null}, ${client.email ?? null},
                   ${JSON.stringify(toClientDocument(client))}::jsonb)`;
  const clients = builtinTable(model, 'client');
  const groups = builtinTable(model, 'group');
  const named = attributes.filter(({ id, displayName }) => displayName !== undefined && id !== client.id);
  return [
    ...(clients === null
      ? []
      : [{ table: clients, columns: ['Display_Name', 'Full_Name', 'Email', 'Client_Object'], rows: [own] }]),
    ...(groups === null || named.length === 0
      ? []
      : [
          {
            table: groups,
            columns: ['Display_Name'],
            rows: named.map(({ id, displayName }) => sql`(${id}, ${displayName ?? null})`),
          },
        ]),
  ];
}

/**
 * Writes what is not there yet. That makes no snapshot (spec/catalog-access.md 14, L7), but is done like a change, under the writer
 * lock: what has an instant before a snapshot must have been committed before it, so that what a snapshot shows stays the same.
 */
async function refresh(database: Database, wanted: readonly WantedRows[]): Promise<void> {
  const missing: WantedRows[] = [];
  await database.withConnection(null, async (connection) => {
    for (const rows of wanted) if ((await connection.query(differing(rows))).length > 0) missing.push(rows);
  });
  if (missing.length === 0) return;
  await database.transaction({}, async (connection) => {
    const change = await beginChange(connection, null, LOCK_WAIT_MILLISECONDS);
    for (const rows of missing) await connection.execute(upsertRows(rows, change));
  });
}

/** A row, if one of the table is not as it should be. */
function differing({ table, columns, rows }: WantedRows): Sql {
  const { names, given, stored } = listsOf(columns);
  return sql`select from (values ${join(rows)}) as given ("ID", ${names})
    left join ${table} as stored on stored."ID" = given."ID"
    where stored."ID" is null or (${stored}) is distinct from (${given}) limit 1`;
}

function upsertRows({ table, columns, rows }: WantedRows, change: Change): Sql {
  const { names, given, stored } = listsOf(columns);
  const fresh = join(columns.map((name) => identifier('excluded', name)));
  const now = sql`${change.ts}::timestamptz`;
  return sql`
    insert into ${table} as stored ("ID", "RCT", "RMT", ${names})
      select "ID", ${now}, ${now}, ${given}
        from (values ${join(rows)}) as given ("ID", ${names})
      on conflict ("ID") do update
        set (${names}, "RMT") = row (${fresh}, ${now})
        where (${stored}) is distinct from (${fresh})`;
}

function listsOf(columns: readonly string[]): { readonly names: Sql; readonly given: Sql; readonly stored: Sql } {
  return {
    names: join(columns.map((name) => identifier(name))),
    given: join(columns.map((name) => identifier('given', name))),
    stored: join(columns.map((name) => identifier('stored', name))),
  };
}

function builtinTable(model: Model, builtin: BuiltinTable): Sql | null {
  for (const schema of model.schemas.values())
    for (const table of schema.tables.values())
      if (table.builtin === builtin) return identifier(schema.name, table.name);
  return null;
}
