import { afterAll, beforeAll, describe } from '@jest/globals';
import { type AssembledCharts, assembleCharts } from '../../src/assembled-charts.js';
import { kubernetesVersions } from '../../src/kubernetes-schemas.js';
import { prepareProgram } from '../../src/programs.js';
import type { ChartName } from '../../src/workspace.js';

const helm = await prepareProgram('helm');

/** The release that charts are rendered for unless another is asked for. */
export const newestKubernetes = kubernetesVersions[kubernetesVersions.length - 1] ?? '';

/** Milliseconds for what runs helm or validates; on a quiet machine each takes a second. */
export const chartLimit = 300_000;

/** The charts of a group of tests. */
export interface ChartsUnderTest {
  charts(): AssembledCharts;
  /**
   * Renders a chart for the newest release of Kubernetes.
   * @param values `<chart>/<name>`, for the file ci/<name>-values.yaml of the chart
   * @param set as `helm --set-json` takes them
   */
  render(values: string, set?: readonly string[]): Promise<string>;
}

/** Tests that render charts; skipped, and said so, where there is no helm. */
export function describeCharts(name: string, tests: (underTest: ChartsUnderTest) => void): void {
  if (helm.kind === 'none') process.stderr.write(`SKIPPED: charts are not rendered (${name}). ${helm.reason}.\n`);
  (helm.kind === 'none' ? describe.skip : describe)(name, () => {
    let assembled: AssembledCharts | undefined;
    beforeAll(async () => {
      assembled = await assembleCharts(helm.kind === 'program' ? helm.path : '');
    }, chartLimit);
    afterAll(() => assembled?.remove());
    const charts = (): AssembledCharts => {
      if (assembled === undefined) throw new Error('The charts could not be put together.');
      return assembled;
    };
    tests({
      charts,
      render: (values, set = []) => {
        const [chart, file] = values.split('/') as [ChartName, string];
        return charts().render(chart, {
          valuesFiles: [`ci/${file}-values.yaml`],
          set,
          kubernetesVersion: newestKubernetes,
        });
      },
    });
  });
}
