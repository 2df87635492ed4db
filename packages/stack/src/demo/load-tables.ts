import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { type Catalog, HttpError } from '@holdfast/clients';
import { countRecords } from './count-records.js';
import type { FoundSurvey } from './find-survey.js';
import type { Progress } from './progress.js';
import type { SurveyTable } from './survey.js';

/** Fills the tables of a survey from its CSV files, one request for each file. */
export async function loadTables(
  catalog: Catalog,
  found: FoundSurvey,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  for (const table of found.survey.tables) {
    if (table.repeatsKeys === true) await showRefusal(catalog, found, table, progress, signal);
    const skip = table.repeatsKeys === true ? 'onconflict=skip' : '';
    await progress.step(`load ${table.csv}`, async () => ({
      rows: await load(catalog, found, table, signal),
      bytes: found.sizes.get(table.csv) ?? 0,
      note: skip,
    }));
  }
}

/** A file that breaks its own key: without `onconflict=skip` the catalog takes nothing of it. */
async function showRefusal(
  catalog: Catalog,
  found: FoundSurvey,
  table: SurveyTable,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const strict = { ...table, repeatsKeys: undefined };
  const { detail } = await progress.step(`load ${table.csv}`, async () => {
    try {
      await load(catalog, found, strict, signal);
    } catch (error) {
      if (error instanceof HttpError && (error.status === 400 || error.status === 409))
        return { note: `refused with ${error.status}, as it should be`, detail: error.detail };
      throw error;
    }
    throw new Error('a file that repeats a key was taken, although nothing said to skip conflicts.');
  });
  progress.say(`    ${detail.trim().replace(/\n/g, '\n    ')}\n`);
}

async function load(
  catalog: Catalog,
  { survey, directory }: FoundSurvey,
  table: Pick<SurveyTable, 'name' | 'csv'> & { readonly repeatsKeys?: true | undefined },
  signal: AbortSignal,
): Promise<number> {
  const answer = await catalog.createEntities(
    { schema: survey.schema, table: table.name },
    { kind: 'bytes', contentType: 'text/csv', content: createReadStream(join(directory, table.csv)) },
    { onconflict: table.repeatsKeys === true ? 'skip' : 'abort', signal },
  );
  // the answer holds the rows as they were stored
  return (await countRecords(answer.body)).records;
}
