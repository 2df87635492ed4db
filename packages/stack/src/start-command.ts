import { parseArgs } from 'node:util';
import { type WireProfile, wireProfile } from '@holdfast/http-kit';
import { tokens } from './dev-identities.js';
import { defaultDataDir, type RunningStack, type StackOptions, startStack } from './stack.js';
import { failureMessage, StackError } from './stack-error.js';

const usage = `Usage: pnpm start [options]

Starts PostgreSQL, the catalog, the object store and the export service on this machine, behind one port.

  --port NUMBER      port of the front door (8080)
  --host ADDRESS     address of the front door (127.0.0.1)
  --data-dir DIR     where everything is kept (.holdfast in the workspace)
  --fresh            delete what is kept there first
  --help             this text

Environment: WIRE_PROFILE=standard|deriva, LOG_LEVEL=info|debug|...
`;

/** Signals of one Ctrl-C: the terminal sends it to all programs of the command, and some of those pass it on. */
const sameKeyMs = 700;

/**
 * The `start` command: starts the stack, says how to use it, and runs until a signal or a crash. Handles SIGINT, SIGTERM and
 * SIGHUP of this process; a second one ends everything at once. Gives the exit status.
 * @param programs other programs in place of single services, for tests
 */
export async function runStart(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  programs: StackOptions['programs'] = {},
): Promise<number> {
  const abort = new AbortController();
  let stack: RunningStack | undefined;
  onStopSignals({
    first() {
      process.stdout.write('\nStopping …\n');
      if (stack === undefined) abort.abort(new StackError('The start was broken off.'));
      else stack.stop();
    },
    second() {
      if (stack === undefined) process.exit(130);
      stack.kill();
    },
  });
  try {
    const options = parseCommandLine(args, environment);
    if (options === null) {
      process.stdout.write(usage);
      return 0;
    }
    const started = performance.now();
    process.stdout.write('Starting Holdfast …\n');
    stack = await startStack({ ...options, programs, signal: abort.signal });
    announce(stack, wireProfile(options.wireProfile ?? 'standard'), (performance.now() - started) / 1000);
    const failure = await stack.ended;
    if (failure !== null) return report(failure);
    process.stdout.write('Stopped.\n');
    return 0;
  } catch (error) {
    // Ctrl-C while starting is no failure
    return abort.signal.aborted ? 0 : report(error);
  }
}

function onStopSignals(on: { readonly first: () => void; readonly second: () => void }): void {
  let first: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now();
        on.first();
      } else if (performance.now() - first > sameKeyMs) on.second();
    });
  }
}

function report(error: unknown): number {
  process.stderr.write(`\nHoldfast cannot go on. ${failureMessage(error)}\n`);
  return 1;
}

function parseCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): StackOptions | null {
  const values = parse(args);
  if (values.help) return null;
  const port = Number(values.port ?? 8080);
  if (!/^\d+$/.test(values.port ?? '8080') || port > 65535)
    throw new StackError('--port takes a number from 0 to 65535.');
  const profile = environment.WIRE_PROFILE ?? 'standard';
  if (profile !== 'standard' && profile !== 'deriva')
    throw new StackError('WIRE_PROFILE is either "standard" or "deriva".');
  return {
    port,
    host: values.host ?? '127.0.0.1',
    dataDir: values['data-dir'] ?? defaultDataDir,
    fresh: values.fresh ?? false,
    wireProfile: profile,
    logLevel: environment.LOG_LEVEL ?? 'info',
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { port: text, host: text, 'data-dir': text, fresh: flag, help: flag },
    }).values;
  } catch (error) {
    throw new StackError(`${failureMessage(error)}\n\n${usage}`);
  }
}

function announce(running: RunningStack, profile: WireProfile, seconds: number): void {
  const { url } = running;
  const at = ([canonical = '']: readonly string[]): string => `${url}${canonical}`;
  const catalog = at(profile.catalogPrefixes);
  const list = Object.entries(tokens).map(([name, token]) => `    ${name.padEnd(6)} ${token}`);
  process.stdout.write(`
Holdfast is running.

  catalog       ${catalog}/
  object store  ${at(profile.objectStorePrefixes)}/
  export        ${at(profile.exportPrefixes)}/
  data and logs ${running.dataDir}

  development tokens (Authorization: Bearer ..., or the session cookie)
${list.join('\n')}

  try
    curl -s ${catalog}/
    curl -s -X POST -H 'Authorization: Bearer ${tokens.alice}' ${catalog}/catalog

ready in ${seconds.toFixed(1)} s; Ctrl-C stops it
`);
}
