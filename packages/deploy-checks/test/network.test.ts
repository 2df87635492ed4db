import { expect, it } from '@jest/globals';
import { networkFaults, networkPaths } from '../src/network-paths.js';
import { parseRendered, type RenderedObject } from '../src/rendered-object.js';
import { describeCharts } from './support/describe-charts.js';

describeCharts('the network policies', ({ render: renderText }) => {
  const render = async (values: string, set?: readonly string[]): Promise<readonly RenderedObject[]> =>
    parseRendered(await renderText(values, set));
  /** What pods may call, without names and databases, which all of them need. */
  const calls = async (values: string, set: readonly string[] = []): Promise<readonly string[]> => {
    const { egress } = networkPaths(await render(values, set));
    const shown = egress.map(({ from, to, port }) => `${from} -> ${to.startsWith('{') ? 'named' : to}:${port}`);
    return [...new Set(shown.filter((line) => !/:(?:53|5432)$/.test(line)))].sort();
  };

  it('allow the connections of the architecture page, and no others', async () => {
    expect(await calls('holdfast/production')).toEqual([
      'catalog/api -> anywhere:443',
      'catalog/api -> export/api:8080',
      'export/api -> anywhere:26379',
      'export/api -> anywhere:443',
      'export/api -> anywhere:6379',
      'export/api -> catalog/api:8080',
      'export/api -> objectstore/api:8080',
      'export/worker -> anywhere:26379',
      'export/worker -> anywhere:6379',
      'export/worker -> catalog/api:8080',
      'export/worker -> named:443',
      'export/worker -> named:80',
      'export/worker -> objectstore/api:8080',
      'objectstore/api -> anywhere:443',
      'objectstore/api -> anywhere:9000',
      'objectstore/api -> export/api:8080',
      'objectstore/verify -> anywhere:443',
      'objectstore/verify -> anywhere:9000',
    ]);
  });

  it('open nothing for what is not there: no issuers, no S3, no exports, no files of other servers', async () => {
    expect(await calls('holdfast/catalog-only')).toEqual(['catalog/api -> anywhere:443']);
    expect((await calls('holdfast/deriva')).filter((line) => /^objectstore|worker -> named/.test(line))).toEqual([
      'objectstore/api -> anywhere:443',
      'objectstore/api -> export/api:8080',
    ]);
    expect((await calls('holdfast/kind')).filter((line) => line.startsWith('catalog'))).toEqual([
      'catalog/api -> export/api:8080',
    ]);
  });

  it('open for a sweep what it removes, and nothing besides', async () => {
    const set = ['catalog', 'objectstore', 'export'].map((chart) => `${chart}.sweepers.mode="cronJob"`);
    expect((await calls('holdfast/production', set)).filter((line) => line.includes('sweep'))).toEqual([
      'export/sweep -> objectstore/api:8080',
      'objectstore/sweep -> anywhere:443',
      'objectstore/sweep -> anywhere:9000',
    ]);
    expect(networkFaults(await render('holdfast/production', set))).toEqual([]);
  });

  it('let a service reach those of other releases that its values name', async () => {
    expect(await calls('catalog/alone')).toEqual(['catalog/api -> anywhere:443', 'catalog/api -> anywhere:8080']);
    expect(await calls('export/alone')).toEqual([
      'export/api -> anywhere:26379',
      'export/api -> anywhere:443',
      'export/api -> anywhere:6379',
      'export/worker -> anywhere:26379',
      'export/worker -> anywhere:443',
      'export/worker -> anywhere:6379',
    ]);
  });

  it('open the ports of the places that values name', async () => {
    const set = [
      'objectstore.config.S3_ENDPOINT="http://rgw.example.org:7480"',
      'global.config.OIDC=[{"issuer":"https://login.example.org:8443","audiences":["a"],"jwksUri":"https://keys.example.org:9443/a"}]',
      'export.config.QUEUE_SENTINELS=["sentinel.example.org:5000","another.example.org"]',
      'global.internalUrls.catalog="http://elsewhere.example.org:7070"',
      'global.config.REVOCATION_URL="https://exports.example.org:7443/export/job"',
    ];
    const objects = await render('holdfast/production', set);
    expect(networkFaults(objects)).toEqual([]);
    const lines = await calls('holdfast/production', set);
    for (const line of [
      'objectstore/api -> anywhere:7480',
      'objectstore/verify -> anywhere:7480',
      'catalog/api -> anywhere:8443',
      'catalog/api -> anywhere:9443',
      'catalog/api -> anywhere:7443',
      'export/worker -> anywhere:5000',
      'export/worker -> anywhere:7070',
    ])
      expect(lines).toContain(line);
    expect(lines).not.toContain('export/worker -> anywhere:443');
  });

  it('would be found wrong when one side closes what the other opens', async () => {
    const objects = await render('holdfast/production');
    const without = objects.filter(({ kind, metadata }) => kind !== 'NetworkPolicy' || metadata.name !== 'hf-catalog');
    const closed = objects.map((object) =>
      object.kind === 'NetworkPolicy' && object.metadata.name === 'hf-catalog'
        ? { ...object, spec: { ...object.spec, ingress: [], egress: [] } }
        : object,
    );
    expect(networkFaults(objects)).toEqual([]);
    expect(networkFaults(without)).toContainEqual(
      'catalog/api is told by REVOCATION_URL to call hf-export:8080, which its policy closes',
    );
    expect(networkFaults(closed)).toContainEqual('export/worker -> catalog/api:8080 is not let in by catalog/api');
  });
});
