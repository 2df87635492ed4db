import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { hookFaults } from '../src/hooks.js';
import { kubernetesVersions, prepareCustomSchemas, prepareKubernetesSchemas } from '../src/kubernetes-schemas.js';
import { networkFaults } from '../src/network-paths.js';
import { policyFaults } from '../src/policies.js';
import { type ProgramResult, prepareProgram, runProgram } from '../src/programs.js';
import { parseRendered, podsOf } from '../src/rendered-object.js';
import { type ChartName, chartNames, workspace } from '../src/workspace.js';
import { chartLimit, describeCharts, newestKubernetes } from './support/describe-charts.js';
import { namedSecrets } from './support/named-secrets.js';
import { environmentOf, variableFaults } from './support/service-variables.js';

const kubeconform = await prepareProgram('kubeconform');
// a Go that is too old cannot fetch what is newer; where everything must be checked, that is a failure
const schemas = await Promise.all([prepareCustomSchemas(), ...kubernetesVersions.map(prepareKubernetesSchemas)]);
if (kubeconform.kind === 'none') process.stderr.write(`SKIPPED: charts are not validated. ${kubeconform.reason}.\n`);

for (const one of schemas) if (one.kind === 'none') process.stderr.write(`SKIPPED: no validation. ${one.reason}\n`);
const canValidate =
  kubeconform.kind === 'program' && (process.env.CI === 'true' || schemas.every(({ kind }) => kind === 'directory'));

/** Every values file of every chart: the chart, and the file below it. */
const valuesFiles = chartNames.flatMap((chart) => {
  const directory = join(workspace, 'charts', chart, 'ci');
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names.filter((name) => name.endsWith('-values.yaml')).map((name) => [chart, `ci/${name}`] as const);
});

describeCharts('the charts', ({ charts, render }) => {
  const renderChart = (chart: ChartName, valuesFile: string, kubernetesVersion = newestKubernetes): Promise<string> =>
    charts().render(chart, { valuesFiles: [valuesFile], kubernetesVersion });

  describe.each(valuesFiles)('(%s) with %s', (chart, valuesFile) => {
    it(
      'pass the linter',
      async () => {
        expect(await charts().lint(chart, valuesFile)).toContain('0 chart(s) failed');
      },
      chartLimit,
    );

    it('keep to the house rules', async () => {
      const objects = parseRendered(await renderChart(chart, valuesFile));
      const values = await readFile(join(workspace, 'charts', chart, valuesFile), 'utf8');
      expect(policyFaults(objects, namedSecrets(values))).toEqual([]);
      expect(networkFaults(objects)).toEqual([]);
      expect(hookFaults(objects)).toEqual([]);
    });

    it('configure every container as its service understands it', async () => {
      expect(await variableFaults(parseRendered(await renderChart(chart, valuesFile)))).toEqual([]);
    });

    (canValidate ? it.each(kubernetesVersions) : it.skip.each(kubernetesVersions))(
      'are what Kubernetes %s knows, field by field',
      async (version) => {
        const locations = await schemaLocations(version);
        const input = await renderChart(chart, valuesFile, version);
        const result = await validate(['-summary', ...locations], input);
        expect(result.stdout).toMatch(/, Invalid: 0, Errors: 0, Skipped: 0/);
        expect(result.status).toBe(0);
      },
      chartLimit,
    );
  });

  (canValidate ? it : it.skip)(
    'are refused by the validation when they have a field that Kubernetes does not know',
    async () => {
      const input = (await render('holdfast/catalog-only')).replace('revisionHistoryLimit:', 'revisionsLimit:');
      const result = await validate(await schemaLocations(newestKubernetes), input);
      expect(result.stdout).toContain('revisionsLimit');
      expect(result.status).toBe(1);
    },
  );

  it.each(['production', 'deriva'])(
    'with %s are those of the golden file (UPDATE_GOLDEN=1 writes it)',
    async (values) => {
      const path = join(workspace, `charts/holdfast/ci/golden/${values}.yaml`);
      const rendered = (await render(`holdfast/${values}`)).replace(/[ \t]+$/gm, '').replace(/\n{2,}/g, '\n');
      if (process.env.UPDATE_GOLDEN === '1') {
        await mkdir(join(path, '..'), { recursive: true });
        await writeFile(path, rendered);
      }
      expect(rendered).toBe(await readFile(path, 'utf8'));
    },
  );

  it('hand texts on as they are, also those that look like references', async () => {
    const objects = parseRendered(await render('holdfast/unusual'));
    const pods = objects.filter(({ metadata }) => metadata.name === 'hf-objectstore').map(podsOf);
    const [container] = pods.flatMap((template) => template?.spec.containers ?? []);
    if (container === undefined) throw new Error('There is no object store.');
    const { ERROR_TEMPLATES = '' } = environmentOf(container);
    expect(JSON.parse(ERROR_TEMPLATES)).toEqual({ '404': { 'text/html': '<p>Not at $(HOST), for $5 or $$</p>' } });
  });

  it('run migrations with an account that is there before, if there is one', async () => {
    const accounts = async (account: string): Promise<readonly unknown[]> => {
      const objects = parseRendered(await render('holdfast/production', [`catalog.serviceAccount=${account}`]));
      return objects
        .filter(({ metadata }) => metadata.name === 'hf-catalog-migrate')
        .flatMap((object) => podsOf(object)?.spec.serviceAccountName ?? []);
    };
    expect(await accounts('{"create":true}')).toEqual([]);
    expect(await accounts('{"create":false,"name":"mine"}')).toEqual(['mine']);
  });

  it('make keys that the services can use, when there are none', async () => {
    const objects = parseRendered(await render('holdfast/kind'));
    const data = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === 'hf-keys')?.data ?? {};
    const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
    const own: Record<string, string> = JSON.parse(text('service-key'));
    const [shown = {}]: readonly Record<string, string>[] = JSON.parse(text('service-jwks')).keys;
    expect(shown).toEqual(Object.fromEntries(Object.entries(own).filter(([name]) => name !== 'd')));
    const { subtle } = globalThis.crypto;
    const signing = await subtle.importKey('jwk', own, { name: 'Ed25519' }, false, ['sign']);
    const verifying = await subtle.importKey('jwk', { ...shown, key_ops: ['verify'] }, { name: 'Ed25519' }, false, [
      'verify',
    ]);
    const message = Buffer.from('a token');
    const signature = await subtle.sign({ name: 'Ed25519' }, signing, message);
    expect(await subtle.verify({ name: 'Ed25519' }, verifying, signature, message)).toBe(true);
    expect(Buffer.from(text('credential-key').split(':')[1] ?? '', 'base64')).toHaveLength(32);
  });
});

async function schemaLocations(version: string): Promise<readonly string[]> {
  const found = [await prepareKubernetesSchemas(version), await prepareCustomSchemas()];
  return found.flatMap((one) => {
    if (one.kind === 'none') throw new Error(one.reason);
    return ['-schema-location', `${one.path}/{{ .ResourceKind }}{{ .KindSuffix }}.json`];
  });
}

function validate(args: readonly string[], input: string): Promise<ProgramResult> {
  if (kubeconform.kind === 'none') throw new Error(kubeconform.reason);
  return runProgram(kubeconform.path, ['-strict', ...args, '-'], { input });
}
