import { createHash } from 'node:crypto';
import { type Connection, type Database, identifier, openDatabase, type Sql, sql, trusted } from '@holdfast/pg-kit';
import { catalogMigrations, LAYOUT_VERSION } from '../migrations/catalog-layout.js';
import { runMigrations } from '../migrations/run-migrations.js';

/** Key of the lock under which one process at a time makes the template of a server. */
const TEMPLATE_LOCK = '5210797465438515';

/**
 * Makes sure that the server has the template of the present layout (spec/catalog-access.md 12.1): a database of the layout without
 * content, closed for connections, because a template can be copied only while nobody is connected to it. It is built under
 * another name and renamed when it is complete, so that a crash leaves nothing that looks finished.
 * @param urlOf URL of a database of this server
 * @returns its name
 */
export async function ensureTemplate(
  admin: Database,
  urlOf: (databaseName: string) => string,
  tablePrefix: string,
): Promise<string> {
  const name = templateName(tablePrefix);
  return admin.withConnection(null, async (connection) => {
    if (await exists(connection, name)) return name;
    await connection.execute(sql`select pg_advisory_lock(${TEMPLATE_LOCK}::bigint)`);
    try {
      if (!(await exists(connection, name))) await build(connection, name, urlOf, tablePrefix);
    } finally {
      await connection.execute(sql`select pg_advisory_unlock(${TEMPLATE_LOCK}::bigint)`);
    }
    return name;
  });
}

/** One template per layout and per names of the built-in tables. */
function templateName(tablePrefix: string): string {
  const names = createHash('sha256').update(tablePrefix).digest('hex').slice(0, 8);
  return `holdfast_template_${LAYOUT_VERSION}_${names}`;
}

async function exists(connection: Connection, name: string): Promise<boolean> {
  return (await connection.query(sql`select from pg_database where datname = ${name}`)).length > 0;
}

async function build(
  connection: Connection,
  name: string,
  urlOf: (databaseName: string) => string,
  tablePrefix: string,
): Promise<void> {
  const draft = `${name}_draft`;
  await connection.execute(sql`drop database if exists ${identifier(draft)} with (force)`);
  const locale = await localeClause(connection);
  await connection.execute(sql`create database ${identifier(draft)} template template0 encoding 'UTF8' ${locale}`);
  const database = openDatabase({ url: urlOf(draft), applicationName: 'holdfast-catalog template', maxConnections: 2 });
  try {
    await runMigrations(database, catalogMigrations(tablePrefix));
  } finally {
    await database.close();
  }
  await connection.execute(sql`alter database ${identifier(draft)} with allow_connections false`);
  await connection.execute(sql`alter database ${identifier(draft)} rename to ${identifier(name)}`);
}

/** Byte order and Unicode case folding where the server has them; plain `C` folds ASCII only. */
async function localeClause(connection: Connection): Promise<Sql> {
  const [row] = await connection.query<{ readonly version: number; readonly libc: boolean }>(
    sql`select current_setting('server_version_num')::integer as version,
               exists (select from pg_collation where collname in ('C.UTF-8', 'C.utf8') and collprovider = 'c') as libc`,
  );
  if (row !== undefined && row.version >= 170_000)
    return trusted(`locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`);
  return trusted(row?.libc === true ? `locale 'C.UTF-8'` : `locale 'C'`);
}
