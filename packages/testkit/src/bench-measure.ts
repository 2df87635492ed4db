import { readFileSync, writeFileSync } from 'node:fs';

/** One piece of work to be timed. Its setup is not. */
export interface Candidate {
  readonly name: string;
  prepare?(): Promise<void>;
  run(): Promise<unknown>;
}

/** Seconds of each round of a candidate. */
export interface Measured {
  readonly name: string;
  readonly seconds: readonly number[];
}

/** Times candidates in turns, so that whatever else the machine does meets all of them. */
export async function measure(candidates: readonly Candidate[], rounds: number): Promise<readonly Measured[]> {
  const seconds = candidates.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, candidate] of candidates.entries()) {
      await candidate.prepare?.();
      const started = process.hrtime.bigint();
      await candidate.run();
      seconds[index]?.push(Number(process.hrtime.bigint() - started) / 1e9);
    }
  }
  return candidates.map(({ name }, index) => ({ name, seconds: seconds[index] ?? [] }));
}

/** The middle one of the rounds. */
export function median(measured: Measured): number {
  const sorted = [...measured.seconds].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Prints times, and the ratio of each to the first, which is the floor.
 * @param limit greatest ratio allowed; infinite where none is demanded
 * @returns whether all ratios keep the limit
 */
export function report(title: string, measured: readonly Measured[], limit: number): boolean {
  const [floor, ...others] = measured;
  if (floor === undefined) return false;
  process.stdout.write(`${title}\n`);
  process.stdout.write(`  ${floor.name.padEnd(44)} ${median(floor).toFixed(3)} s\n`);
  let kept = true;
  for (const other of others) {
    const ratio = median(other) / median(floor);
    kept &&= ratio <= limit;
    const verdict = Number.isFinite(limit) ? ` (at most ${limit}: ${ratio <= limit ? 'kept' : 'MISSED'})` : '';
    process.stdout.write(
      `  ${other.name.padEnd(44)} ${median(other).toFixed(3)} s   ratio ${ratio.toFixed(2)}${verdict}\n`,
    );
  }
  return kept;
}

/** Watches the memory of another process, on Linux. */
export interface MemoryWatch {
  /** Greatest growth of resident memory since the watch began, in MB; null where the system does not tell. */
  growth(): number | null;
}

/** Begins to watch: the peak so far is forgotten. */
export function watchMemory(pid: number | undefined): MemoryWatch {
  const before = memoryOf(pid, 'VmRSS');
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    return { growth: () => null };
  }
  return {
    growth: () => {
      const peak = memoryOf(pid, 'VmHWM');
      return before === null || peak === null ? null : Math.max(0, Math.round((peak - before) / 1024));
    },
  };
}

function memoryOf(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number | null {
  try {
    const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? null : Number(found[1]);
  } catch {
    return null;
  }
}
