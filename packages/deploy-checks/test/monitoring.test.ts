import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '@holdfast/http-kit';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { workspace } from '../src/workspace.js';

const read = (file: string): string => readFileSync(join(workspace, file), 'utf8');
const alertRules = z.object({
  groups: z.array(z.object({ rules: z.array(z.looseObject({ alert: z.string(), expr: z.string() })) })),
});
const dashboardPanels = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), query: z.string() })) }),
});

/** Of kube-state-metrics, of Prometheus itself, and their labels' names. */
const ofOthers = [
  'up',
  'kube_deployment_status_replicas_available',
  'kube_deployment_spec_replicas',
  'kube_job_status_failed',
  'kube_cronjob_status_last_schedule_time',
  'kube_cronjob_status_last_successful_time',
  'kube_pod_container_resource_limits',
];

/** What PromQL has itself. */
const words =
  /^(?:sum|max|count|by|and|or|rate|histogram_quantile|label_replace|label_values|NAMESPACE|RELEASE|CONCURRENCY)$/;

describe('alerts and dashboard', () => {
  const rules = alertRules
    .parse(parse(read('charts/holdfast/files/alerts.yaml')))
    .groups.flatMap((group) => group.rules);
  const dashboard = dashboardPanels.parse(JSON.parse(read('charts/holdfast/files/dashboard.json')));
  const queries = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
    ...dashboard.templating.list
      .filter(({ query }) => query !== 'prometheus')
      .map(({ name, query }) => [name, query.replace(/, \w+\)$/, ')')] as const),
  ];

  it.each(queries)('(%s) ask for metrics that there are', async (_, expression) => {
    const known = [...(await metricNames()), ...ofOthers];
    for (const name of plainNames(expression)) expect(known).toContain(name);
    for (const [, pattern = ''] of expression.matchAll(/__name__=~"([^"]+)"/g))
      expect(known.filter((name) => new RegExp(`^(?:${pattern})$`).test(name))).not.toEqual([]);
  });

  it('ask for names with which the services speak of their labels', () => {
    for (const [, expression] of queries)
      for (const [, label] of expression.matchAll(/[{,](\w+)(?:=~|!=|=)/g))
        expect([
          'namespace',
          'job',
          'status',
          'method',
          'route',
          'deployment',
          'job_name',
          'cronjob',
          'resource',
          'container',
          '__name__',
        ]).toContain(label);
  });
});

/** Names outside of braces, quotes and groupings. */
function plainNames(expression: string): readonly string[] {
  const bare = expression.replace(/"[^"]*"/g, '').replace(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ');
  return [...bare.matchAll(/\b[a-z_]\w*\b/gi)]
    .map(([name]) => name)
    .filter((name) => !words.test(name) && !/^\d/.test(name));
}

/** What the processes export: metrics of every process, and gauges by their names in the code. */
async function metricNames(): Promise<readonly string[]> {
  const every = (await createMetrics().registry.getMetricsAsJSON()).flatMap(({ name, type }) =>
    String(type) === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
  );
  const sources = ['services', 'packages']
    .flatMap((room) => readdirSync(join(workspace, room)).map((name) => join(room, name, 'src')))
    .flatMap((folder) =>
      readdirSync(join(workspace, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map(read);
  const gauges = sources.flatMap((text) =>
    [...text.matchAll(/gauge\(\s*['`]([^'`]+)['`]/g)].map(([, name]) => name ?? ''),
  );
  // gauges of pools begin with the name of the pool
  const pools = sources.flatMap((text) =>
    [...text.matchAll(/measurePool\(\s*[\w.]+,\s*'(\w+)'/g)].map(([, name]) => name ?? ''),
  );
  return [
    ...every,
    ...gauges.flatMap((name) => (name.includes('$') ? pools.map((pool) => name.replace(/\$\{\w+\}/, pool)) : [name])),
  ];
}
