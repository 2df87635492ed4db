import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StackError } from '../stack-error.js';
import { portal } from './portal.js';
import type { Survey } from './survey.js';
import { tidePools } from './tide-pools.js';

const surveys: readonly Survey[] = [tidePools, portal];

/** A survey and the files of it that are in a directory. */
export interface FoundSurvey {
  readonly survey: Survey;
  readonly directory: string;
  /** Names of the files that become objects, sorted. */
  readonly fileNames: readonly string[];
  /** Bytes by file name, of the CSV files and the others. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * Finds out by the names of the files which survey a directory holds.
 * @throws {StackError} when it holds none, or one that is not complete
 */
export async function findSurvey(directory: string): Promise<FoundSurvey> {
  const names = await namesIn(directory);
  const counted = surveys.map((survey) => ({
    survey,
    missing: survey.tables.filter(({ csv }) => !names.includes(csv)),
  }));
  const found = counted.find(({ missing }) => missing.length === 0);
  if (found === undefined) {
    const near = counted.find(({ survey, missing }) => missing.length < survey.tables.length);
    throw new StackError(near === undefined ? unknown(directory) : incomplete(directory, near.survey, near.missing));
  }
  const { survey } = found;
  const fileNames = names.filter(survey.files.includes).sort();
  const sizes = await Promise.all(
    [...survey.tables.map(({ csv }) => csv), ...fileNames].map(
      async (name) => [name, (await stat(join(directory, name))).size] as const,
    ),
  );
  return { survey, directory, fileNames, sizes: new Map(sizes) };
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StackError(`The data directory ${directory} cannot be read: ${reason}`);
  }
}

function unknown(directory: string): string {
  const known = surveys.map(({ title, tables }) => `${title} (${tables[0]?.csv}, ...)`).join(' and ');
  return `${directory} holds no data set that the demo knows. It knows ${known}.`;
}

function incomplete(directory: string, survey: Survey, missing: Survey['tables']): string {
  const names = missing.map(({ csv }) => csv).join(', ');
  return `${directory} looks like the data of "${survey.title}", but lacks ${names}.`;
}
