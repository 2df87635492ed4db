import { AppError } from '@holdfast/http-kit';
import { type Database, identifier, openDatabase, sql, sqlStateOf } from '@holdfast/pg-kit';
import { ensureTemplate } from './template-database.js';

/** A PostgreSQL server that holds catalogs. */
export interface CatalogServerConfig {
  /** What registry entries call it; never changed once catalogs are there. */
  readonly name: string;
  /** URL of a database of it, as a role that may create databases. */
  readonly url: string;
}

/** The servers of a deployment: makes and drops the databases of catalogs. */
export interface CatalogServers {
  readonly names: readonly string[];
  /** URL of a catalog's database. */
  urlOf(serverName: string, databaseName: string): string;
  /** Creates a database as a copy of the template. */
  create(serverName: string, databaseName: string): Promise<void>;
  /** Drops a database with all connections to it; one that does not exist is fine. */
  drop(serverName: string, databaseName: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the servers; connections are made at first use.
 * @param tablePrefix of the built-in tables of new catalogs
 */
export function openCatalogServers(configs: readonly CatalogServerConfig[], tablePrefix: string): CatalogServers {
  const servers = new Map(configs.map((config) => [config.name, openServer(config, tablePrefix)]));
  const serverOf = (name: string): Server => {
    const server = servers.get(name);
    if (server !== undefined) return server;
    throw new AppError('unavailable', `This deployment does not know the database server ${JSON.stringify(name)}.`);
  };
  return {
    names: configs.map(({ name }) => name),
    urlOf: (serverName, databaseName) => databaseUrl(serverOf(serverName).config.url, databaseName),
    create: (serverName, databaseName) => createDatabase(serverOf(serverName), databaseName),
    drop: (serverName, databaseName) => dropDatabase(serverOf(serverName).admin, databaseName),
    close: async () => {
      await Promise.all([...servers.values()].map(({ admin }) => admin.close()));
    },
  };
}

interface Server {
  readonly config: CatalogServerConfig;
  readonly admin: Database;
  /** Name of the template; made at first need. */
  template(): Promise<string>;
}

const ADMIN_CONNECTIONS = 4;

function openServer(config: CatalogServerConfig, tablePrefix: string): Server {
  const admin = openDatabase({
    url: config.url,
    applicationName: 'holdfast-catalog admin',
    maxConnections: ADMIN_CONNECTIONS,
  });
  let template: Promise<string> | null = null;
  return {
    config,
    admin,
    template: () => {
      template ??= ensureTemplate(admin, (name) => databaseUrl(config.url, name), tablePrefix).catch((error) => {
        template = null;
        throw error;
      });
      return template;
    },
  };
}

function databaseUrl(serverUrl: string, databaseName: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${encodeURIComponent(databaseName)}`;
  return url.href;
}

async function createDatabase(server: Server, databaseName: string): Promise<void> {
  const template = await server.template();
  await server.admin.withConnection(null, (connection) =>
    connection.execute(sql`create database ${identifier(databaseName)} template ${identifier(template)}`),
  );
}

async function dropDatabase(admin: Database, databaseName: string): Promise<void> {
  await admin.withConnection(null, async (connection) => {
    try {
      // first nobody new gets in: other processes may hold connections and would come back between the two steps of a drop
      await connection.execute(sql`alter database ${identifier(databaseName)} with allow_connections false`);
      await connection.execute(sql`drop database ${identifier(databaseName)} with (force)`);
    } catch (error) {
      if (sqlStateOf(error) !== '3D000') throw error;
    }
  });
}
