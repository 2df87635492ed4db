/** One thing a service depends on. */
export interface HealthCheck {
  readonly name: string;
  /** Rejects when the dependency is away. The signal fires at the time limit. */
  check(signal: AbortSignal): Promise<void>;
}

/** Outcome of all checks. */
export interface HealthReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>;
}

const CHECK_MILLISECONDS = 2_000;

/** Runs all checks side by side, each under a time limit of 2 s. Says which failed, not why: reasons go to the log. */
export async function checkHealth(
  checks: readonly HealthCheck[],
  onFailure: (name: string, error: unknown) => void,
): Promise<HealthReport> {
  const results = await Promise.all(
    checks.map(async ({ name, check }) => {
      const signal = AbortSignal.timeout(CHECK_MILLISECONDS);
      try {
        await Promise.race([check(signal), rejectWhenAborted(signal)]);
        return [name, 'ok'] as const;
      } catch (error) {
        onFailure(name, error);
        return [name, 'failed'] as const;
      }
    }),
  );
  return { ready: results.every(([, result]) => result === 'ok'), checks: Object.fromEntries(results) };
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
