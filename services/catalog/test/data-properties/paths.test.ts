import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { testSeed } from '../support/test-seed.js';
import { randomQuestion } from './ask.js';
import { type Cell, shown } from './cells.js';
import type { Row } from './naive.js';
import { type Draw, randomModel, schemaDocument, type TableSketch } from './random-model.js';
import { difference } from './verify.js';

/**
 * Random paths over random rows of random models, asked of the service and of the naive evaluator. `TEST_SEED` repeats a run,
 * `PROPERTY_MODELS` and `PROPERTY_PATHS` make it longer.
 */
const seed = testSeed();
const models = Number(process.env.PROPERTY_MODELS ?? 8);
const paths = Number(process.env.PROPERTY_PATHS ?? 90);

describe(`random paths over random models (TEST_SEED=${seed})`, () => {
  let fixture: CatalogFixture;
  let catalog: string;

  beforeAll(async () => {
    fixture = await startCatalog();
    catalog = await fixture.createCatalog();
  });
  afterAll(() => fixture.close());

  const json = { 'content-type': 'application/json' };

  async function load(tables: readonly TableSketch[], schema: string): Promise<void> {
    const made = await fixture.request('alice', 'POST', `${catalog}/schema`, schemaDocument(schema, tables), json);
    if (made.status >= 300) throw new Error(`The model was not made: ${made.text}`);
    for (const { name, rows } of tables) {
      const target = `${catalog}/entity/${schema}:${encodeURIComponent(name)}`;
      const answer = await fixture.request('alice', 'POST', target, rows.map(sent), json);
      if (answer.status !== 200) throw new Error(`The rows were not stored: ${answer.text}`);
      keepSystemColumns(rows, answer.json);
    }
  }

  it.each(Array.from({ length: models }, (_, index) => index))(
    'are answered as the naive evaluator answers them, model %i',
    async (index) => {
      const [generator] = fc.sample(fc.gen(), { numRuns: 1, seed: seed + index });
      if (generator === undefined) throw new Error('There is no generator.');
      const schema = `m${index}`;
      const tables = randomModel(drawFrom(generator), schema);
      await load(tables, schema);
      const property = fc.asyncProperty(fc.gen(), async (gen) => {
        const question = randomQuestion(drawFrom(gen), tables);
        fc.pre(question !== null && question.url.length < 6000);
        if (question === null) return;
        const answer = await fixture.request('alice', 'GET', `${catalog}/${question.url}`);
        const wrong =
          answer.status === 200 && Array.isArray(answer.json)
            ? difference(question.denoted, answer.json)
            : `${answer.status} ${answer.text}`;
        expect(wrong === null ? null : `${wrong}\n${question.url}\n${answer.text.slice(0, 3000)}`).toBeNull();
      });
      await fc.assert(property, { seed: seed + index, numRuns: paths, unbiased: true });
    },
    60_000 + models * paths * 100,
  );
});

function drawFrom(gen: fc.GeneratorValue): Draw {
  return {
    int: (min, max) => gen(fc.integer, { min, max }),
    pick: (items) => {
      const item = items[gen(fc.integer, { min: 0, max: items.length - 1 })];
      if (item === undefined) throw new Error('There is nothing to choose from.');
      return item;
    },
    // the uncommon case comes with the greater number, so that failures shrink to the common one
    oneIn: (times) => gen(fc.integer, { min: 1, max: times }) === times,
  };
}

/** A row as the input has it: for NULL in a column of documents the member must be missing. */
function sent(row: Row): unknown {
  const members = Object.entries(row).flatMap(([name, cell]): [string, unknown][] =>
    cell === null ? [] : [[name, shown(cell)]],
  );
  return Object.fromEntries(members);
}

/** The service answers the rows in the order they were sent. */
function keepSystemColumns(rows: Row[], answer: unknown): void {
  if (!Array.isArray(answer) || answer.length !== rows.length) throw new Error('Not all rows were answered.');
  rows.forEach((row, at) => {
    const stored: unknown = answer[at];
    if (typeof stored !== 'object' || stored === null) throw new Error('An answer is no row.');
    const system = Object.entries(stored).filter(([name]) => /^R(ID|CT|MT|CB|MB)$/.test(name));
    rows[at] = { ...row, ...Object.fromEntries(system.map(([name, value]) => [name, asCell(value)])) };
  });
}

function asCell(value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  throw new Error('A system column holds a document.');
}
