import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { parseRendered, podsOf, type RenderedObject } from '../src/rendered-object.js';
import { chartLimit, describeCharts } from './support/describe-charts.js';

const charts = ['catalog', 'objectstore', 'export'] as const;

const cronJob = z.looseObject({
  schedule: z.string(),
  timeZone: z.string(),
  concurrencyPolicy: z.string(),
  successfulJobsHistoryLimit: z.number(),
  failedJobsHistoryLimit: z.number(),
  jobTemplate: z.looseObject({ spec: z.looseObject({ activeDeadlineSeconds: z.number(), backoffLimit: z.number() }) }),
});

describeCharts('who sweeps', ({ render }) => {
  const objects = async (set: readonly string[]): Promise<readonly RenderedObject[]> =>
    parseRendered(await render('holdfast/production', set));
  /** What the containers of the services' own pods are told, by their Deployments. */
  const told = (rendered: readonly RenderedObject[]): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(
      rendered
        .filter(({ kind }) => kind === 'Deployment')
        .map((object) => [
          object.metadata.name,
          podsOf(object)?.spec.containers[0]?.env.find(({ name }) => name === 'SWEEPERS')?.value,
        ]),
    );
  const sweeps = (rendered: readonly RenderedObject[]): readonly RenderedObject[] =>
    rendered.filter(({ kind, metadata }) => kind === 'CronJob' && metadata.name.endsWith('-sweep'));

  it(
    'is the services themselves, unless told otherwise',
    async () => {
      const rendered = await objects([]);
      expect(sweeps(rendered)).toEqual([]);
      expect(told(rendered)).toEqual({
        'hf-catalog': 'inside',
        'hf-objectstore': 'inside',
        'hf-export': 'inside',
        'hf-export-worker': 'inside',
      });
    },
    chartLimit,
  );

  it(
    'is a CronJob for each service that is told so, with the Secrets of what it removes alone; its pods then leave it',
    async () => {
      const rendered = await objects([
        ...charts.map((chart) => `${chart}.sweepers.mode="cronJob"`),
        'export.sweepers.schedule="7 * * * *"',
        'export.sweepers.deadlineSeconds=600',
      ]);
      expect(new Set(Object.values(told(rendered)))).toEqual(new Set(['none']));
      expect(sweeps(rendered).map(({ metadata }) => metadata.name)).toEqual(
        expect.arrayContaining(charts.map((chart) => `hf-${chart}-sweep`)),
      );
      for (const { metadata, spec } of sweeps(rendered)) {
        const isExport = metadata.name === 'hf-export-sweep';
        expect(cronJob.parse(spec)).toMatchObject({
          schedule: isExport ? '7 * * * *' : '*/5 * * * *',
          timeZone: 'Etc/UTC',
          concurrencyPolicy: 'Forbid',
          jobTemplate: {
            spec: {
              backoffLimit: 0,
              activeDeadlineSeconds: isExport ? 600 : metadata.name === 'hf-catalog-sweep' ? 3600 : 86400,
            },
          },
        });
      }
      const secrets = Object.fromEntries(
        sweeps(rendered).map((object) => {
          const [container] = podsOf(object)?.spec.containers ?? [];
          expect(container?.args).toEqual(['dist/src/sweep.js']);
          const names = container?.env.filter(({ valueFrom }) => valueFrom !== undefined).map(({ name }) => name);
          return [object.metadata.name, names?.sort()];
        }),
      );
      expect(secrets).toEqual({
        'hf-catalog-sweep': expect.arrayContaining(['CATALOG_SERVER_0_URL', 'REGISTRY_DATABASE_URL']),
        'hf-objectstore-sweep': ['DATABASE_URL', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
        'hf-export-sweep': ['DATABASE_URL', 'SERVICE_KEY'],
      });
    },
    chartLimit,
  );

  it(
    'may differ from service to service',
    async () => {
      const rendered = await objects(['objectstore.sweepers.mode="cronJob"']);
      expect(sweeps(rendered).map(({ metadata }) => metadata.name)).toEqual(['hf-objectstore-sweep']);
      expect(told(rendered)).toMatchObject({ 'hf-objectstore': 'none', 'hf-export': 'inside', 'hf-catalog': 'inside' });
    },
    chartLimit,
  );
});
