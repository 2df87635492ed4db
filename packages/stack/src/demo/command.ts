import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createHttpClient } from '@holdfast/clients';
import type { WireProfileName } from '@holdfast/http-kit';
import { tokens } from '../dev-identities.js';
import { failureMessage, StackError } from '../stack-error.js';
import { type FoundSurvey, findSurvey } from './find-survey.js';
import { type JobResult, runMainJob } from './main-job.js';
import { processMemory } from './memory.js';
import { findPlace, type Place } from './place.js';
import { byteText, openProgress, type Progress } from './progress.js';
import { textTable } from './text-table.js';

const usage = `Usage: pnpm demo [options]

Does the main job once: defines tables, loads CSV files, stores files, asks a question, exports a bag and validates it.
Uses the stack of this workspace if it runs; otherwise it starts one with its data in a temporary directory, and removes both.

  --data DIR     a data set: the sample data of the repository (default), or the Portal data
  --url URL      a server to use, whoever runs it
  --token TOKEN  bearer token there (${tokens.alice})
  --port NUMBER  start a stack of its own on this port, even if one runs; 0: any free port
  --keep         leave the stack of its own running until Ctrl-C, to look around
  --help         this text

Environment: WIRE_PROFILE=standard|deriva for a stack of its own
`;

interface DemoOptions {
  readonly data: string;
  readonly url: string | null;
  readonly token: string;
  readonly port: number | null;
  readonly keep: boolean;
  readonly wireProfile: WireProfileName;
}

/** The `demo` command. Handles SIGINT, SIGTERM and SIGHUP of this process. Gives the exit status. */
export async function runDemo(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => abort.abort(new StackError(`The demo was broken off by ${signal}.`)));
  try {
    const options = parseCommandLine(args, environment);
    if (options === null) process.stdout.write(usage);
    else await demonstrate(options, abort);
    return 0;
  } catch (error) {
    const reason = abort.signal.aborted ? abort.signal.reason : error;
    process.stderr.write(`\nThe demo failed. ${failureMessage(reason)}\n`);
    return 1;
  }
}

async function demonstrate(options: DemoOptions, abort: AbortController): Promise<void> {
  const { signal } = abort;
  const write = (text: string): void => void process.stdout.write(text);
  const found = await findSurvey(options.data);
  const started = performance.now();
  const place = await findPlace({ ...options, signal });
  let crash: StackError | null = null;
  place.own?.ended.then((failure) => {
    crash = failure;
    if (failure !== null) abort.abort(failure);
  });
  try {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    write(`\n${found.survey.title}, on ${place.words}: ${place.url}`);
    write(place.own === null ? '\n\n' : ` (ready in ${seconds} s)\n\n`);
    const progress = openProgress(write);
    const result = await workAt(place, options, found, progress, signal);
    write(summary(place, progress, result, options.token));
    if (place.own !== null && options.keep) await untilStopped(signal, write);
    if (crash !== null) throw crash;
  } finally {
    await place.close();
  }
}

async function workAt(
  place: Place,
  { token }: DemoOptions,
  found: FoundSurvey,
  progress: Progress,
  signal: AbortSignal,
): Promise<JobResult> {
  const http = createHttpClient({ origin: place.url, credential: { bearer: token }, userAgent: 'holdfast-demo' });
  try {
    return await runMainJob({ place, http, token, progress, signal }, found);
  } finally {
    await http.close();
  }
}

function summary(place: Place, progress: Progress, result: JobResult, token: string): string {
  const { steps, rows, bytes, seconds } = progress.total();
  const lines = [
    '',
    `  ${steps} steps, ${rows.toLocaleString('en')} rows, ${byteText(bytes)} in ${seconds.toFixed(1)} s`,
    '',
  ];
  const memory = processMemory(place.processes).map(({ name, resident, peak }) => ({
    process: place.own !== null && name === 'supervisor' ? 'supervisor and demo' : name,
    memory: byteText(resident),
    peak: peak === null ? '' : byteText(peak),
  }));
  if (memory.length > 0) lines.push(textTable(memory, '  '));
  if (place.own === null)
    lines.push(
      '  what it left behind',
      `    curl -s -H 'Authorization: Bearer ${token}' ${place.url}${place.prefixes.catalog}/catalog/${result.catalogId}/schema`,
      `    curl -s -H 'Authorization: Bearer ${token}' ${place.url}${result.namespace}`,
      `    curl -s -H 'Authorization: Bearer ${token}' -o bag.zip ${result.bagUrl}`,
      '',
    );
  return `${lines.join('\n')}\n`;
}

async function untilStopped(signal: AbortSignal, write: (text: string) => void): Promise<void> {
  write('  The stack runs on; Ctrl-C stops it.\n');
  if (!signal.aborted)
    await new Promise<void>((stop) => signal.addEventListener('abort', () => stop(), { once: true }));
}

function parseCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): DemoOptions | null {
  const values = parse(args);
  if (values.help === true) return null;
  const { port = null, url = null } = values;
  if (port !== null && (!/^\d{1,5}$/.test(port) || Number(port) > 65535))
    throw new StackError('--port takes a number from 0 to 65535.');
  if (url !== null && !/^https?:\/\/[^/]+\/?$/.test(url))
    throw new StackError('--url takes the address of a server, for example http://localhost:8080.');
  if (url !== null && port !== null) throw new StackError('--url uses a server, --port starts one: give one of them.');
  const profile = environment.WIRE_PROFILE ?? 'standard';
  if (profile !== 'standard' && profile !== 'deriva')
    throw new StackError('WIRE_PROFILE is either "standard" or "deriva".');
  return {
    data: values.data === undefined ? sampleData() : resolve(values.data),
    url,
    token: values.token ?? tokens.alice,
    port: port === null ? null : Number(port),
    keep: values.keep ?? false,
    wireProfile: profile,
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { data: text, url: text, token: text, port: text, keep: flag, help: flag },
    }).values;
  } catch (error) {
    throw new StackError(`${failureMessage(error)}\n\n${usage}`);
  }
}

function sampleData(): string {
  // packages/stack/dist/src/demo
  return fileURLToPath(new URL('../../../sample-data', import.meta.url));
}
