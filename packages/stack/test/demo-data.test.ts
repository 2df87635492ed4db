import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findSurvey } from '../src/demo/find-survey.js';

const sampleData = fileURLToPath(new URL('../../sample-data', import.meta.url));

type Row = ReadonlyMap<string, string>;

/** The rows of a file of the sample data: plain CSV, quotes only around whole cells, no line feeds in them. */
async function rowsOf(file: string): Promise<readonly Row[]> {
  const [head = [], ...records] = (await readFile(join(sampleData, file), 'utf8')).trimEnd().split('\n').map(cellsOf);
  return records.map((cells) => new Map(head.map((name, index) => [name, cells[index] ?? ''])));
}

function cellsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}

const tuple = (row: Row, columns: readonly string[]): string => JSON.stringify(columns.map((name) => row.get(name)));

describe('the sample data', () => {
  it('are found by their names, pictures and notes included', async () => {
    const { survey, fileNames, sizes } = await findSurvey(sampleData);
    expect(survey.name).toBe('tide-pools');
    expect(fileNames).toHaveLength(18);
    expect(sizes.get('observation.csv')).toBeGreaterThan(10_000);
  });

  it('keep the keys, references and columns that their description promises', async () => {
    const { survey, fileNames } = await findSurvey(sampleData);
    const stored = new Map<string, ReadonlySet<string>>();
    for (const { name, csv, columns, optional, key, references } of survey.tables) {
      const rows = await rowsOf(csv);
      expect([...(rows[0]?.keys() ?? [])]).toEqual(Object.keys(columns));
      for (const row of rows) {
        const empty = [...row].filter(([, value]) => value === '').map(([column]) => column);
        expect(optional).toEqual(expect.arrayContaining(empty));
        for (const { table, columns: own } of references) expect(stored.get(table)?.has(tuple(row, own))).toBe(true);
      }
      const keys = new Set(rows.map((row) => tuple(row, key ?? [])));
      expect(keys.size).toBe(rows.length);
      stored.set(name, keys);
    }
    for (const fileName of fileNames) {
      const row = new Map(Object.entries(survey.files.describe(fileName)));
      expect(stored.get('visit')?.has(tuple(row, ['pool', 'date']))).toBe(true);
    }
  });
});

describe('a directory without a data set', () => {
  let directory = '';
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('is refused with what the demo knows', async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-data-'));
    await expect(findSurvey(directory)).rejects.toThrow('holds no data set that the demo knows');
  });

  it('is refused with what it lacks', async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-data-'));
    await writeFile(join(directory, 'pool.csv'), 'pool\n');
    await expect(findSurvey(directory)).rejects.toThrow('lacks species.csv, visit.csv, observation.csv');
  });

  it('is refused when it is not there', async () => {
    await expect(findSurvey(join(tmpdir(), 'holdfast-no-such-directory'))).rejects.toThrow('cannot be read');
  });
});
