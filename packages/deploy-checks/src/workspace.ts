import { fileURLToPath } from 'node:url';

/** The directory of the workspace. */
export const workspace = fileURLToPath(new URL('../../../..', import.meta.url));

/** The charts, in the order in which they depend on each other. */
export const chartNames = ['common', 'catalog', 'objectstore', 'export', 'holdfast'] as const;
export type ChartName = (typeof chartNames)[number];

/** Those with values of their own. */
export const serviceCharts = ['catalog', 'objectstore', 'export'] as const;
