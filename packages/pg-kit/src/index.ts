export { type Connection, connectionOf, type QueryOptions } from './connection.js';
export {
  clientConfig,
  type Database,
  type DatabaseOptions,
  openDatabase,
  type TransactionOptions,
} from './database.js';
export { type DatabasePools, type DatabasePoolsOptions, openDatabasePools } from './database-pools.js';
export { asLeader } from './leader.js';
export { checkSchema, type Migration, migrate } from './migrations.js';
export { measurePool } from './pool-metrics.js';
export { retryOnCollision } from './retry.js';
export {
  type CompiledSql,
  compile,
  identifier,
  inline,
  join,
  literal,
  nothing,
  type Sql,
  type SqlValue,
  sql,
  trusted,
} from './sql.js';
export {
  fromDatabase,
  isConnectionLoss,
  isSerializationFailure,
  isSystemCollision,
  type SqlPhase,
  sqlStateOf,
} from './sqlstate.js';
