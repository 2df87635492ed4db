import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AssembledCharts, assembleCharts } from '../src/assembled-charts.js';
import { hookFaults } from '../src/hooks.js';
import { kubernetesVersions, prepareCustomSchemas, prepareKubernetesSchemas } from '../src/kubernetes-schemas.js';
import { networkFaults } from '../src/network-paths.js';
import { policyFaults } from '../src/policies.js';
import { type ProgramResult, prepareProgram, runProgram } from '../src/programs.js';
import { parseRendered, podsOf } from '../src/rendered-object.js';
import { type ChartName, chartNames, workspace } from '../src/workspace.js';
import { namedSecrets } from './support/named-secrets.js';
import { variableFaults } from './support/service-variables.js';

const helm = await prepareProgram('helm');
const kubeconform = await prepareProgram('kubeconform');
// a Go that is too old cannot fetch what is newer; where everything must be checked, that is a failure
const schemas = await Promise.all([prepareCustomSchemas(), ...kubernetesVersions.map(prepareKubernetesSchemas)]);
if (helm.kind === 'none') process.stderr.write(`SKIPPED: charts are not rendered. ${helm.reason}.\n`);
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
const newest = kubernetesVersions[kubernetesVersions.length - 1] ?? '';
const limit = 300_000;

(helm.kind === 'none' ? describe.skip : describe)('the charts', () => {
  let charts: AssembledCharts;
  beforeAll(async () => {
    charts = await assembleCharts(helm.kind === 'program' ? helm.path : '');
  }, limit);
  afterAll(() => charts?.remove());

  const renderChart = (chart: ChartName, valuesFile: string, kubernetesVersion = newest): Promise<string> =>
    charts.render(chart, { valuesFiles: [valuesFile], kubernetesVersion });
  const render = (valuesFile: string, set: readonly string[] = []): Promise<string> =>
    charts.render('holdfast', { valuesFiles: [valuesFile], set, kubernetesVersion: newest });

  describe.each(valuesFiles)('(%s) with %s', (chart, valuesFile) => {
    it(
      'pass the linter',
      async () => {
        expect(await charts.lint(chart, valuesFile)).toContain('0 chart(s) failed');
      },
      limit,
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
      limit,
    );
  });

  (canValidate ? it : it.skip)(
    'are refused by the validation when they have a field that Kubernetes does not know',
    async () => {
      const input = (await render('ci/catalog-only-values.yaml')).replace('revisionHistoryLimit:', 'revisionsLimit:');
      const result = await validate(await schemaLocations(newest), input);
      expect(result.stdout).toContain('revisionsLimit');
      expect(result.status).toBe(1);
    },
  );

  it.each(['ci/production-values.yaml', 'ci/deriva-values.yaml'])(
    'with %s are those of the golden file (UPDATE_GOLDEN=1 writes it)',
    async (valuesFile) => {
      const path = join(workspace, 'charts/holdfast/ci/golden', valuesFile.replace('ci/', '').replace('-values', ''));
      const rendered = (await render(valuesFile)).replace(/[ \t]+$/gm, '').replace(/\n{2,}/g, '\n');
      if (process.env.UPDATE_GOLDEN === '1') {
        await mkdir(join(path, '..'), { recursive: true });
        await writeFile(path, rendered);
      }
      expect(rendered).toBe(await readFile(path, 'utf8'));
    },
  );

  it('that install nothing without what must be decided, say what it is', async () => {
    await expect(charts.render('holdfast', { valuesFiles: [], kubernetesVersion: newest })).rejects.toThrow(
      /publicUrl[\s\S]*registryDatabase[\s\S]*rootAcls\/owner|rootAcls\/owner[\s\S]*publicUrl/,
    );
  });

  const production = 'ci/production-values.yaml';
  it.each<readonly [string, readonly string[], RegExp]>([
    ['a word that nobody knows', ['catalog={"replicsa": 3}'], /replicsa/],
    ['a variable that the service does not know', ['catalog.config={"DATABASE_CONECTIONS": 3}'], /DATABASE_CONECTIONS/],
    ['a text in place of a number', ['catalog.api.replicas="three"'], /replicas/],
    ['development tokens in production', ['global.devTokens.existingSecret="tokens"'], /devTokens/],
    ['plain http in production', ['global.publicUrl="http://data.example.org"'], /publicUrl/],
    ['a root without an owner', ['objectstore.rootAcls.owner=[]'], /owner/],
    ['a root that everybody owns', ['objectstore.rootAcls.owner=["*"]'], /owner/],
    [
      'a production where nobody can log in',
      ['global.config.OIDC=[]', 'global.identityDatabase.existingSecret=""'],
      /log in|existingSecret/,
    ],
    ['local users without a database', ['global.identityDatabase.existingSecret=""'], /existingSecret/],
    ['a password in a variable', ['catalog.extraEnv=[{"name":"X","value":"postgres://a:b@host/c"}]'], /extraEnv/],
    ['a secret that is no reference', ['catalog.extraEnv=[{"name":"DB_PASSWORD","value":"admin"}]'], /extraEnv/],
    [
      'a directory for several pods',
      ['objectstore.config.STORAGE_ADAPTER="filesystem"', 'objectstore.blobsClaim="c"'],
      /one pod alone/,
    ],
    [
      'a container without limits',
      ['catalog.api.resources={"requests":{"cpu":1,"memory":"1Gi"}, "limits": null}'],
      /limits/,
    ],
    ['keys that nobody makes', ['global.keys={"existingSecret":"","generate":false}'], /global.keys/],
    ['exports without a catalog', ['catalog.enabled=false'], /needs a catalog/],
    ['an unknown place for migrations', ['catalog.migrations.mode="sometimes"'], /migrations/],
    ['a server without a name', ['catalog.servers=[{"existingSecret":"a","key":"b"}]'], /servers/],
    ['a root that everybody owns below', ['objectstore.rootAcls.subtree-owner=["*"]'], /subtree-owner/],
    ['an access list that there is not', ['objectstore.rootAcls.subtree-onwer=["a"]'], /subtree-onwer/],
    [
      'an issuer with a misspelt member',
      ['global.config.OIDC=[{"issuer":"https://a","audiences":["b"],"grupPrefix":"x"}]'],
      /grupPrefix/,
    ],
    [
      'keys of issuers over plain http in production',
      ['global.config.OIDC=[{"issuer":"http://a.example.org","audiences":["b"]}]'],
      /OIDC/,
    ],
    ['S3 without a bucket', ['objectstore.config.S3_BUCKET=null'], /S3_BUCKET/],
    ['an empty list of hosts to fetch from', ['export.config.EXTERNAL_FETCH_HOSTS=[]'], /EXTERNAL_FETCH_HOSTS/],
    [
      'a password in a URL of config',
      ['objectstore.config.S3_ENDPOINT="https://user:secret@s3.example.org"'],
      /S3_ENDPOINT: a password/,
    ],
    [
      'development tokens by the way of extraEnv',
      ['catalog.extraEnv=[{"name":"ALLOW_DEV_TOKENS_IN_PRODUCTION","value":"true"}]'],
      /cannot be set here/,
    ],
    ['another NODE_ENV by the way of extraEnv', ['export.extraEnv=[{"name":"NODE_ENV","value":"x"}]'], /cannot be set/],
    ['a variable of config in extraEnv', ['catalog.extraEnv=[{"name":"CREATE_ROLES","value":"*"}]'], /under config/],
    [
      'two servers with one name',
      ['catalog.servers=[{"name":"a","existingSecret":"s","key":"k"},{"name":"a","existingSecret":"t","key":"k"}]'],
      /two with the name a/,
    ],
    ['a scratch volume above the limit', ['objectstore.api.scratch.size="20Gi"'], /scratch.size/],
    ['a quota above the scratch volume', ['export.worker.scratch={"size":"8Gi"}'], /SCRATCH_QUOTA_BYTES/],
    ['fewer pods at most than at least', ['catalog.api.autoscaling.maxReplicas=1'], /minReplicas/],
    ['a size that is none', ['export.worker.scratch.size="64 GB"'], /scratch\/size/],
    ['memory that is none', ['catalog.api.resources.limits.memory="1GiB"'], /memory/],
    ['a rule for all ports', ['global.networkPolicy.egress.s3.ports=[]'], /ports/],
    ['a host in capitals', ['global.publicUrl="https://Data.example.org"'], /publicUrl/],
    ['network policies for nobody', ['global.networkPolicy.clients=[]'], /clients/],
  ])('refuse %s', async (_, set, reason) => {
    await expect(render(production, set)).rejects.toThrow(reason);
  });

  it('refuse a release whose name leaves no room for those of its objects', async () => {
    const release = 'a-research-group-with-a-name';
    await expect(
      charts.render('holdfast', { valuesFiles: [production], release, kubernetesVersion: newest }),
    ).rejects.toThrow(/27 characters/);
    const objects = parseRendered(
      await charts.render('holdfast', {
        valuesFiles: [production],
        release: release.slice(0, 27),
        kubernetesVersion: newest,
      }),
    );
    // a CronJob's Jobs have eleven more in their names than it has itself
    for (const { kind, metadata } of objects)
      expect(metadata.name.length).toBeLessThanOrEqual(kind === 'CronJob' ? 52 : 63);
  });

  it('run migrations with an account that is there before, if there is one', async () => {
    const accounts = async (account: string): Promise<readonly unknown[]> => {
      const objects = parseRendered(await render(production, [`catalog.serviceAccount=${account}`]));
      return objects
        .filter(({ metadata }) => metadata.name === 'hf-catalog-migrate')
        .flatMap((object) => podsOf(object)?.spec.serviceAccountName ?? []);
    };
    expect(await accounts('{"create":true}')).toEqual([]);
    expect(await accounts('{"create":false,"name":"mine"}')).toEqual(['mine']);
  });

  it('that are installed alone make no keys: each would have its own', async () => {
    const options = { valuesFiles: ['ci/alone-values.yaml'], set: ['global.keys.existingSecret=""'] };
    await expect(charts.render('catalog', { ...options, kubernetesVersion: newest })).rejects.toThrow(
      'only the umbrella',
    );
  });

  it('make keys that the services can use, when there are none', async () => {
    const objects = parseRendered(await render('ci/kind-values.yaml'));
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
