import { type Logger, redactText } from '@holdfast/http-kit';

/** The log that belongs to an export, for its owner (spec/export.md 10.4). */
export interface ExportLog {
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
  /** Writes what has gathered. */
  flush(): Promise<void>;
  /** Flushes for the last time. */
  close(): Promise<void>;
}

export type LogLevel = 'INFO' | 'WARNING' | 'ERROR';

/** Bytes of a log after which it says that it is cut. */
const MOST_BYTES = 10 * 1024 * 1024;

/** Milliseconds after which gathered lines are written. */
const FLUSH_AFTER = 1_000;

/** Where the log of a run goes. */
export interface ExportLogOptions {
  /** Writes text behind what is there. */
  readonly append: (text: string) => Promise<void>;
  /** That are there already. */
  readonly bytes: number;
  /** Hears of it when that fails: a log that cannot be written must not end an export. */
  readonly processLog: Logger;
}

/** Opens the log of a run. */
export function openExportLog(options: ExportLogOptions): ExportLog {
  const { append, processLog } = options;
  let gathered = '';
  let { bytes } = options;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const text = gathered;
    gathered = '';
    if (text !== '') {
      writing = writing
        .then(() => append(text))
        .catch((error: unknown) => processLog.warn({ err: error }, 'the log of an export could not be written'));
    }
    return writing;
  };
  const add = (level: LogLevel, message: string): void => {
    if (bytes > MOST_BYTES) return;
    const line = logLine(level, message);
    bytes += Buffer.byteLength(line);
    gathered += bytes > MOST_BYTES ? logLine('WARNING', 'truncated') : line;
    if (gathered.length > 64 * 1024) void flush();
    else timer ??= setTimeout(() => void flush(), FLUSH_AFTER);
  };
  return {
    info: (message) => add('INFO', message),
    warning: (message) => add('WARNING', message),
    error: (message) => add('ERROR', message),
    flush,
    close: flush,
  };
}

/** One line: time, level, message. Control characters are escaped, so that a value cannot write lines of its own. */
export function logLine(level: LogLevel, message: string): string {
  const safe = redactText(message).replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${new Date().toISOString()} ${level} ${safe}\n`;
}
