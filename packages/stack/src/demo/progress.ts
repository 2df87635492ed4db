import { failureMessage, StackError } from '../stack-error.js';

/** What a step did. */
export interface StepFacts {
  readonly rows?: number;
  readonly bytes?: number;
  /** A few words at the end of the line. */
  readonly note?: string;
}

/** Runs the steps of the demo one after another and prints a line for each. */
export interface Progress {
  /** @throws {StackError} that names the step when it fails */
  step<Facts extends StepFacts>(name: string, work: () => Promise<Facts>): Promise<Facts>;
  /** Text between the steps, of whole lines. */
  say(text: string): void;
  /** Of all steps so far. */
  total(): { readonly steps: number; readonly rows: number; readonly bytes: number; readonly seconds: number };
}

/** @param write where the text goes */
export function openProgress(write: (text: string) => void): Progress {
  let [steps, rows, bytes] = [0, 0, 0];
  const began = performance.now();
  return {
    async step(name, work) {
      if (steps === 0) write(line('step', 'rows', 'bytes', 'time', ''));
      const start = performance.now();
      const facts = await work().catch((error: unknown) => {
        throw failed(name, error);
      });
      steps += 1;
      rows += facts.rows ?? 0;
      bytes += facts.bytes ?? 0;
      write(line(name, count(facts.rows), byteText(facts.bytes), secondText(start), facts.note ?? ''));
      return facts;
    },
    say: write,
    total: () => ({ steps, rows, bytes, seconds: (performance.now() - began) / 1000 }),
  };
}

/** Bytes for people, in units of 1000. */
export function byteText(bytes: number | undefined): string {
  if (bytes === undefined) return '';
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function line(name: string, rows: string, bytes: string, time: string, note: string): string {
  const text = `  ${name.padEnd(38)} ${rows.padStart(9)} ${bytes.padStart(9)} ${time.padStart(9)}  ${note}`;
  return `${text.trimEnd()}\n`;
}

function count(rows: number | undefined): string {
  return rows === undefined ? '' : rows.toLocaleString('en');
}

function secondText(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(2)} s`;
}

/** A step that was broken off says why, and not where: the user did it, or the stack ended. */
function failed(name: string, error: unknown): unknown {
  return error instanceof StackError ? error : new StackError(`Step "${name}": ${failureMessage(error)}`);
}
