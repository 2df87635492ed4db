import { expect, it } from '@jest/globals';
import { parseRendered, podsOf } from '../src/rendered-object.js';
import { chartLimit, describeCharts } from './support/describe-charts.js';

describeCharts('the users of the pods', ({ render }) => {
  /** Security contexts of all pods, without what none of them may lack. */
  const contexts = async (values: string, set: readonly string[]): Promise<readonly unknown[]> => {
    const pods = parseRendered(await render(values, set)).flatMap((object) => podsOf(object) ?? []);
    expect(pods.length).toBeGreaterThan(0);
    const shown = pods.map(({ spec }) => {
      const { runAsNonRoot, seccompProfile, ...rest } = spec.securityContext;
      expect({ runAsNonRoot, seccompProfile }).toEqual({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      return JSON.stringify(rest);
    });
    return [...new Set(shown)].map((text): unknown => JSON.parse(text));
  };
  const all = (value: number) =>
    ['runAsUser', 'runAsGroup', 'fsGroup'].map((name) => `global.podSecurity.${name}=${value}`);

  it.each(['holdfast/production', 'catalog/alone', 'objectstore/alone', 'export/alone'])(
    '(%s) are one without rights, another one, or left to the cluster, but never root',
    async (values) => {
      const onMismatch = { fsGroupChangePolicy: 'OnRootMismatch' };
      expect(await contexts(values, [])).toEqual([
        { runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532, ...onMismatch },
      ]);
      expect(await contexts(values, all(1000700000))).toEqual([
        { runAsUser: 1000700000, runAsGroup: 1000700000, fsGroup: 1000700000, ...onMismatch },
      ]);
      expect(await contexts(values, ['global.podSecurity.ids="cluster"'])).toEqual([{}]);
      for (const name of ['runAsUser', 'runAsGroup', 'fsGroup'])
        await expect(render(values, [`global.podSecurity.${name}=0`])).rejects.toThrow(new RegExp(name));
    },
    chartLimit,
  );
});
