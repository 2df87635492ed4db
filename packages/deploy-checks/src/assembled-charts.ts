import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './programs.js';
import { type ChartName, chartNames, workspace } from './workspace.js';

/** A copy of the charts with their dependencies in place, ready to be rendered. */
export interface AssembledCharts {
  lint(chart: ChartName, valuesFile: string): Promise<string>;
  /** @throws {ChartRefusal} when the values are refused */
  render(chart: ChartName, options: RenderOptions): Promise<string>;
  remove(): Promise<void>;
}

export interface RenderOptions {
  /** Below the directory of the chart. */
  readonly valuesFiles: readonly string[];
  /** As `helm --set-json` takes them. */
  readonly set?: readonly string[];
  readonly kubernetesVersion: string;
  /** Its name; "hf" unless another is given. */
  readonly release?: string;
}

/** Why values were refused, in Helm's words. */
export class ChartRefusal extends Error {}

/** Copies the charts and lets Helm put the dependencies in place, as an installation does. */
export async function assembleCharts(helm: string): Promise<AssembledCharts> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-charts-'));
  const environment = { HELM_CACHE_HOME: join(directory, 'cache'), HELM_CONFIG_HOME: join(directory, 'config') };
  const charts = join(directory, 'charts');
  await cp(join(workspace, 'charts'), charts, { recursive: true });
  const run = async (args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await runProgram(helm, args, { cwd: charts, environment });
    if (status !== 0) throw new ChartRefusal(`helm ${args[0]} ${args[1]}: ${stderr}${stdout}`);
    return stdout;
  };
  for (const name of chartNames) await run(['dependency', 'update', name, '--skip-refresh']);
  return {
    lint: (chart, valuesFile) => run(['lint', chart, '--strict', '--values', join(chart, valuesFile)]),
    render: (chart, { valuesFiles, set = [], kubernetesVersion, release = 'hf' }) =>
      run([
        'template',
        release,
        chart,
        ...['--namespace', 'research', '--include-crds', '--kube-version', kubernetesVersion],
        ...valuesFiles.flatMap((file) => ['--values', join(chart, file)]),
        ...set.flatMap((one) => ['--set-json', one]),
      ]),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
