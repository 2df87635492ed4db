export { type DevToken, devTokens, tokens } from './dev-identities.js';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  type PostgresExit,
  startEmbeddedPostgres,
} from './postgres/embedded-postgres.js';
export {
  type ReplicatedStack,
  type ReplicatedStackOptions,
  startReplicatedStack,
} from './replicas/replicated-stack.js';
export { findRunningStack, type StackDescription } from './running-stack-file.js';
export type { ServiceEnvironment, ServiceName } from './services.js';
export { defaultDataDir, type RunningStack, type StackOptions, startStack } from './stack.js';
export { failureMessage, StackError } from './stack-error.js';
export { temporaryDirectory } from './temporary-directory.js';
