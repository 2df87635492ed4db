import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { valuesSchema } from './values-schema.js';
import { valuesTable } from './values-table.js';
import { readValues } from './values-tree.js';
import { type ChartName, chartNames, serviceCharts, workspace } from './workspace.js';

/** A file that is made of others. */
export interface GeneratedFile {
  /** Below the workspace. */
  readonly path: string;
  readonly content: string;
}

const BEGIN = '<!-- made of the values.yaml files: pnpm charts:generate -->';
const END = '<!-- end of what is made -->';

/** The schemas of all charts, and the README of the umbrella chart with the tables in it, as they should be. */
export async function generatedFiles(): Promise<readonly GeneratedFile[]> {
  const charts = chartNames.filter((name) => name !== 'common');
  const schemas = await Promise.all(
    charts.map(async (name) => ({
      path: `charts/${name}/values.schema.json`,
      content: `${JSON.stringify(valuesSchema(name, readValues(await valuesText(name))), null, 2)}\n`,
    })),
  );
  return [...schemas, await readme()];
}

async function readme(): Promise<GeneratedFile> {
  const path = 'charts/holdfast/README.md';
  const text = await readFile(join(workspace, path), 'utf8');
  const [before = '', rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${path} must have the lines "${BEGIN}" and "${END}".`);
  const tables = [`### Umbrella\n\n${await tableOf('holdfast', '')}`];
  for (const name of serviceCharts)
    tables.push(`### ${name}\n\n${(await tableOf(name, name)).replace(/^\| `[a-z]+\.global.*\n/gm, '')}`);
  return { path, content: `${before}${BEGIN}\n\n${tables.join('\n\n')}\n\n${END}${after}` };
}

async function tableOf(name: ChartName, path: string): Promise<string> {
  const text = await valuesText(name);
  return valuesTable(valuesSchema(name, readValues(text)), parse(text), path);
}

function valuesText(name: ChartName): Promise<string> {
  return readFile(join(workspace, 'charts', name, 'values.yaml'), 'utf8');
}
