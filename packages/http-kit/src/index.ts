export { AppError, type AppErrorOptions, denied, methodNotAllowed } from './app-error.js';
export {
  booleanVariable,
  ConfigError,
  type Environment,
  integerVariable,
  jsonVariable,
  listVariable,
  parseEnvironment,
} from './config.js';
export { entityTag } from './entity-tag.js';
export { type ErrorCode, errorCodes } from './error-codes.js';
export type { ErrorDocument } from './error-document.js';
export { type ErrorRules, errorResponse } from './error-response.js';
export { type ErrorTemplates, errorTemplates } from './error-templates.js';
export { sendContinue } from './expect-continue.js';
export { checkHealth, type HealthCheck, type HealthReport } from './health.js';
export { escapeHtml } from './html.js';
export { closeServer, listen } from './listening.js';
export { createLogger, type Logger, type LoggerOptions } from './logger.js';
export { createMetrics, type Metrics, type RequestObservation } from './metrics.js';
export { type MigrationDefinition, runMigrationProcess } from './migration-process.js';
export { type AcceptedRange, mediaTypeOf, negotiate, parseAccept } from './negotiation.js';
export { evaluatePreconditions, type PreconditionInput, type PreconditionOutcome } from './preconditions.js';
export { publicOrigin } from './public-url.js';
export { type ByteRange, decideRange, type RangeDecision } from './ranges.js';
export { readBody, readJson, refuseContentCoding } from './read-body.js';
export { redactText } from './redaction.js';
export { contextOf, type RequestContext, type RequestContextOptions, requestContext } from './request-context.js';
export { sendBody, sendEmpty, sendJson } from './send.js';
export { type ServiceAppOptions, serviceApp } from './service-app.js';
export {
  type ProcessConfig,
  type ProcessParts,
  processVariables,
  runServiceProcess,
  type ServiceDefinition,
  type StartedService,
} from './service-process.js';
export { type Spool, type SpoolPlace, spool } from './spool.js';
export {
  runSweepProcess,
  type SweepDefinition,
  type SweepOutcome,
  type SweepParts,
  sweepersVariable,
} from './sweep-process.js';
export { endWhenTold } from './told-to-end.js';
export { type WireProfile, type WireProfileName, wireProfile } from './wire-profile.js';
