import { expect, it } from '@jest/globals';
import { parseRendered } from '../src/rendered-object.js';
import { describeCharts, newestKubernetes } from './support/describe-charts.js';

describeCharts('the charts', ({ charts, render }) => {
  it('that install nothing without what must be decided, say what it is', async () => {
    await expect(charts().render('holdfast', { valuesFiles: [], kubernetesVersion: newestKubernetes })).rejects.toThrow(
      /publicUrl[\s\S]*registryDatabase[\s\S]*rootAcls\/owner|rootAcls\/owner[\s\S]*publicUrl/,
    );
  });

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
    ['an unknown sweeper', ['export.sweepers.mode="sometimes"'], /sweepers/],
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
    await expect(render('holdfast/production', set)).rejects.toThrow(reason);
  });

  it('refuse a release whose name leaves no room for those of its objects', async () => {
    const release = 'a-research-group-with-a-name';
    await expect(
      charts().render('holdfast', {
        valuesFiles: ['ci/production-values.yaml'],
        release,
        kubernetesVersion: newestKubernetes,
      }),
    ).rejects.toThrow(/27 characters/);
    const objects = parseRendered(
      await charts().render('holdfast', {
        valuesFiles: ['ci/production-values.yaml'],
        release: release.slice(0, 27),
        kubernetesVersion: newestKubernetes,
      }),
    );
    // a CronJob's Jobs have eleven more in their names than it has itself
    for (const { kind, metadata } of objects)
      expect(metadata.name.length).toBeLessThanOrEqual(kind === 'CronJob' ? 52 : 63);
  });

  it('that are installed alone make no keys: each would have its own', async () => {
    const options = { valuesFiles: ['ci/alone-values.yaml'], set: ['global.keys.existingSecret=""'] };
    await expect(charts().render('catalog', { ...options, kubernetesVersion: newestKubernetes })).rejects.toThrow(
      'only the umbrella',
    );
  });
});
