#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ALGORITHMS, type Algorithm } from './algorithms.js';
import type { BagInfoEntry } from './bag-info.js';
import { BagOpenError } from './bag-source.js';
import { completeBag } from './complete-bag.js';
import { writeBagArchive } from './create-bag.js';
import { BagWriteError, UnsafePathError } from './errors.js';
import { httpFetch } from './http-fetch.js';
import { type BagReport, describeFinding } from './report.js';
import { type FetchContent, validateBag } from './validate-bag.js';

const USAGE = `Usage:
  bagit validate <directory or archive> [options]
      --fetch-missing       fetch what fetch.txt refers to, to check it; nothing is stored
      --header 'Name: value'  a header for these requests (repeatable)
      --origin URL          an origin that may see the headers and the token (repeatable)
      --allow-missing       a bag that still has files to fetch is only warned about
      --json                print the report as JSON
  bagit fetch <directory or archive> [directory] [options]
      fetches what fetch.txt refers to into the bag; an archive is unpacked first, into the directory named (default: where
      it is). What cannot be fetched is named; the command can be given again.
      --header, --origin    as above
  bagit create <directory> <archive.zip|.tgz|.tar.gz|.tar|.bz2|.tar.bz2> [options]
      --algorithm NAME      md5, sha1, sha256 or sha512 (repeatable; default sha256 and sha512)
      --info 'Label: value'  a line of bag-info.txt (repeatable)

BAGIT_TOKEN in the environment is sent as a bearer token, to the origins named by --origin only.
Exit status: 0 valid (warnings go to standard error), 1 not valid or not readable, 2 wrong usage.
`;

/** What the command needs of the process it runs in. */
export interface CliPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** A mistake on the command line. */
class UsageError extends Error {}

/** Runs the command with its arguments and gives the exit status. */
export async function runCli(args: readonly string[], ports: CliPorts): Promise<number> {
  try {
    const [command, ...rest] = args;
    switch (command) {
      case 'validate':
        return await validate(rest, ports);
      case 'fetch':
        return await fetchMissing(rest, ports);
      case 'create':
        return await create(rest, ports);
      case 'help':
      case '--help':
      case '-h':
        ports.out(USAGE);
        return 0;
      default:
        throw new UsageError(command === undefined ? 'a command is missing' : `there is no command ${command}`);
    }
  } catch (error) {
    if (error instanceof UsageError) {
      ports.err(`bagit: ${error.message}\n\n${USAGE}`);
      return 2;
    }
    if (!(error instanceof Error)) throw error;
    const expected =
      error instanceof BagOpenError ||
      error instanceof BagWriteError ||
      error instanceof UnsafePathError ||
      'code' in error;
    ports.err(`bagit: ${expected ? error.message : error.stack}\n`);
    return 1;
  }
}

async function validate(args: readonly string[], ports: CliPorts): Promise<number> {
  const { values, positionals } = parse(args, {
    'fetch-missing': { type: 'boolean' },
    'allow-missing': { type: 'boolean' },
    json: { type: 'boolean' },
    header: { type: 'string', multiple: true },
    origin: { type: 'string', multiple: true },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) throw new UsageError('validate takes one directory or archive');
  if (values['fetch-missing'] !== true && values.header !== undefined) {
    throw new UsageError('--header is for --fetch-missing');
  }
  const fetch = values['fetch-missing'] === true ? fetcher(values, ports) : undefined;
  const report = await validateBag(path, {
    ...(fetch === undefined ? {} : { fetch }),
    allowMissingFetch: values['allow-missing'] === true,
  });
  if (values.json === true) ports.out(`${JSON.stringify(report, null, 2)}\n`);
  else print(path, report, ports);
  return report.valid ? 0 : 1;
}

async function fetchMissing(args: readonly string[], ports: CliPorts): Promise<number> {
  const { values, positionals } = parse(args, {
    header: { type: 'string', multiple: true },
    origin: { type: 'string', multiple: true },
  });
  const [path, into] = positionals;
  if (path === undefined || positionals.length > 2)
    throw new UsageError('fetch takes a bag and, for an archive, a directory');
  const made = await completeBag(path, {
    fetch: fetcher(values, ports),
    ...(into === undefined ? {} : { into }),
  });
  for (const { path: name, reason } of made.failures) ports.err(`error: ${JSON.stringify(name)}: ${reason}\n`);
  ports.out(`${made.directory}: ${made.fetched} files fetched, ${made.bytes} bytes\n`);
  return made.failures.length === 0 ? 0 : 1;
}

/** Sends the token and headers to the origins named, and to nobody else. */
function fetcher(
  values: { readonly header?: string[] | undefined; readonly origin?: string[] | undefined },
  ports: CliPorts,
): FetchContent {
  const headers = readHeaders(values.header ?? [], ports.env.BAGIT_TOKEN);
  const origins = (values.origin ?? []).map(readOrigin);
  if (values.header !== undefined && origins.length === 0) {
    throw new UsageError(
      "name with --origin which origins may see the --header: the addresses in a bag can be anybody's",
    );
  }
  if (ports.env.BAGIT_TOKEN !== undefined && origins.length === 0) {
    ports.err('warning: BAGIT_TOKEN is not sent: name with --origin who may see it\n');
  }
  return httpFetch({ headers, trustedOrigins: origins });
}

function print(path: string, report: BagReport, ports: CliPorts): void {
  for (const warning of report.warnings) ports.err(`warning: ${describeFinding(warning)}\n`);
  for (const error of report.errors) ports.err(`error: ${describeFinding(error)}\n`);
  const hidden = report.errorCount + report.warningCount - report.errors.length - report.warnings.length;
  if (hidden > 0) ports.err(`and ${hidden} more\n`);
  if (!report.valid) {
    ports.out(`${path}: not valid, ${report.errorCount} ${report.errorCount === 1 ? 'error' : 'errors'}\n`);
    return;
  }
  const { payload, fetch, algorithms, version } = report;
  const fetched = fetch.fetched > 0 ? `, ${fetch.fetched} of them fetched` : '';
  ports.out(
    `${path}: valid, BagIt ${version}, ${payload.files} files${fetched}, ${payload.bytes} bytes, ${algorithms.join(' ')}\n`,
  );
}

async function create(args: readonly string[], ports: CliPorts): Promise<number> {
  const { values, positionals } = parse(args, {
    algorithm: { type: 'string', multiple: true },
    info: { type: 'string', multiple: true },
  });
  const [source, target] = positionals;
  if (source === undefined || target === undefined || positionals.length > 2) {
    throw new UsageError('create takes a directory and the archive to make');
  }
  const algorithms = (values.algorithm ?? ['sha256', 'sha512']).map(readAlgorithm);
  const metadata = (values.info ?? []).map(readPair);
  const made = await writeBagArchive(source, target, { algorithms, metadata, softwareAgent: 'Holdfast bagit' });
  for (const warning of made.warnings) ports.err(`warning: ${warning}\n`);
  ports.out(`${target}: ${made.files} files, ${made.bytes} bytes, ${made.algorithms.join(' ')}\n`);
  return 0;
}

function parse<
  T extends Readonly<Record<string, { readonly type: 'boolean' | 'string'; readonly multiple?: boolean }>>,
>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readAlgorithm(name: string): Algorithm {
  const found = ALGORITHMS.find((algorithm) => algorithm === name.toLowerCase());
  if (found === undefined) throw new UsageError(`${name} is none of ${ALGORITHMS.join(', ')}`);
  return found;
}

function readPair(text: string): BagInfoEntry {
  const colon = text.indexOf(':');
  if (colon < 1) throw new UsageError(`${JSON.stringify(text)} is not of the form 'Name: value'`);
  return { label: text.slice(0, colon).trim(), value: text.slice(colon + 1).trim() };
}

function readHeaders(given: readonly string[], token: string | undefined): Record<string, string> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  for (const { label, value } of given.map(readPair)) headers[label.toLowerCase()] = value;
  return headers;
}

function readOrigin(text: string): string {
  if (!URL.canParse(text)) throw new UsageError(`--origin ${text} is not a URL`);
  return new URL(text).origin;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await runCli(process.argv.slice(2), {
    env: process.env,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
}
