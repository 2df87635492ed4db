import pino from 'pino';
import { redactedPaths, redactText } from './redaction.js';

/** The logger handed to every part of a service. */
export type Logger = pino.Logger;

/** How a logger is made. */
export interface LoggerOptions {
  readonly service: string;
  readonly level: pino.LevelWithSilent;
  /** Where lines go; standard output when left out. */
  readonly destination?: pino.DestinationStream;
}

/** Makes the JSON logger of a process. Secrets are redacted by key and by pattern. */
export function createLogger(options: LoggerOptions): Logger {
  const settings: pino.LoggerOptions = {
    level: options.level,
    base: { service: options.service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: [...redactedPaths], censor: '[redacted]' },
    serializers: { err: serializeError, error: serializeError },
    hooks: { logMethod: logRedacted },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}

/** Pino makes an error's message the message of its line when there is none: that too goes through the redaction. */
function logRedacted(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn): void {
  const [first, message, ...more] = args as readonly unknown[];
  const error = typeof first === 'object' && first !== null && 'err' in first ? first.err : null;
  const text = typeof message === 'string' ? message : error instanceof Error ? error.message : null;
  const rest = text === null ? [] : [redactText(text), ...more];
  method.apply(this, [typeof first === 'string' ? redactText(first) : first, ...rest] as Parameters<pino.LogFn>);
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return redactText(String(error));
  return {
    type: error.name,
    message: redactText(error.message),
    ...('code' in error ? { code: String(error.code) } : {}),
    stack: redactText(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
}
