import { parseArgs } from 'node:util';
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

const abort = new AbortController();
let stack: RunningStack | undefined;
stopOnSignals();
process.exitCode = await run();

async function run(): Promise<number> {
  try {
    const options = parseCommandLine(process.argv.slice(2));
    if (options === null) {
      process.stdout.write(usage);
      return 0;
    }
    const started = performance.now();
    process.stdout.write('Starting Holdfast …\n');
    stack = await startStack({ ...options, signal: abort.signal });
    announce(stack, (performance.now() - started) / 1000);
    const failure = await stack.ended;
    if (failure === null) {
      process.stdout.write('Stopped.\n');
      return 0;
    }
    return report(failure);
  } catch (error) {
    // Ctrl-C while starting is no failure
    return abort.signal.aborted ? 0 : report(error);
  }
}

function report(error: unknown): number {
  process.stderr.write(`\nHoldfast cannot go on. ${failureMessage(error)}\n`);
  return 1;
}

function parseCommandLine(args: readonly string[]): StackOptions | null {
  const values = parse(args);
  if (values.help) return null;
  const port = Number(values.port ?? 8080);
  if (!/^\d+$/.test(values.port ?? '8080') || port > 65535)
    throw new StackError('--port takes a number from 0 to 65535.');
  const profile = process.env.WIRE_PROFILE ?? 'standard';
  if (profile !== 'standard' && profile !== 'deriva')
    throw new StackError('WIRE_PROFILE is either "standard" or "deriva".');
  return {
    port,
    host: values.host ?? '127.0.0.1',
    dataDir: values['data-dir'] ?? defaultDataDir,
    fresh: values.fresh ?? false,
    wireProfile: profile,
    logLevel: process.env.LOG_LEVEL ?? 'info',
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

function announce(running: RunningStack, seconds: number): void {
  const { url } = running;
  const list = Object.entries(tokens).map(([name, token]) => `    ${name.padEnd(6)} ${token}`);
  process.stdout.write(`
Holdfast is running.

  catalog       ${url}/data/
  object store  ${url}/objects/
  export        ${url}/export/
  data and logs ${running.dataDir}

  development tokens (Authorization: Bearer ..., or the session cookie)
${list.join('\n')}

  try
    curl -s ${url}/data/
    curl -s -X POST -H 'Authorization: Bearer ${tokens.alice}' ${url}/data/catalog

ready in ${seconds.toFixed(1)} s; Ctrl-C stops it
`);
}

function stopOnSignals(): void {
  let first: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now();
        process.stdout.write('\nStopping …\n');
        if (stack === undefined) abort.abort(new StackError('The start was broken off.'));
        else stack.stop();
      } else if (performance.now() - first > sameKeyMs) {
        if (stack === undefined) process.exit(130);
        stack.kill();
      }
    });
  }
}
