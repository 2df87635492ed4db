import type { WireProfileName } from '@holdfast/http-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changing, openZooStage, type Zoo, type ZooStage } from '../support/zoo.js';
import { brokenRules } from './common-rules.js';
import type { Example, Section, Step } from './example.js';
import { creations } from './examples-create.js';
import { deletions, moreDeletions } from './examples-delete.js';
import { filters } from './examples-filters.js';
import { formats, moreFormats } from './examples-formats.js';
import { links } from './examples-links.js';
import { moreCreations } from './examples-more-create.js';
import { moreJoins } from './examples-more-joins.js';
import { moreFilters, morePaging, moreValues } from './examples-more-values.js';
import { paging } from './examples-paging.js';
import { projections } from './examples-projections.js';
import { rights } from './examples-rights.js';
import { moreState, state } from './examples-state.js';
import { moreUpdates, updates } from './examples-update.js';
import { waiting } from './waiting.js';

const sections: readonly Section[] = [
  filters,
  links,
  projections,
  paging,
  formats,
  creations,
  updates,
  deletions,
  state,
  moreJoins,
  moreFilters,
  morePaging,
  moreValues,
  moreFormats,
  moreCreations,
  moreUpdates,
  moreDeletions,
  moreState,
  rights,
];

/** The worked examples of spec/catalog-data.md 11, one test each, over a service of this profile. */
export function testExamples(profile: WireProfileName): void {
  describe(`worked examples of the data interface, ${profile} profile`, () => {
    const stage = lateStage(profile);
    const broken = new Set<string>();
    for (const { title, examples } of sections) {
      describe(title, () => {
        for (const each of examples) testExample(each, stage, broken);
      });
    }
    it('gave answers that all keep the common rules', () => expect([...broken]).toStrictEqual([]));
    it('has every example of the list', () =>
      expect(numbers()).toStrictEqual(Array.from({ length: 301 }, (_, i) => i + 1)));
    it('lets no example wait that does not exist', () => {
      const names = new Set(
        sections.flatMap(({ examples }) => examples.flatMap((each) => [`${each.number}`, nameOf(each)])),
      );
      expect([...waiting.keys()].filter((key) => !names.has(key))).toStrictEqual([]);
    });
  });
}

/** A stage that opens before the first test and closes after the last. */
function lateStage(profile: WireProfileName): () => ZooStage {
  let stage: ZooStage | null = null;
  beforeAll(async () => {
    stage = await openZooStage(profile);
  });
  afterAll(async () => {
    await stage?.close();
  });
  return () => {
    if (stage === null) throw new Error('The catalog service is not running.');
    return stage;
  };
}

function testExample(each: Example, stage: () => ZooStage, broken: Set<string>): void {
  const name = nameOf(each);
  const reason = waiting.get(String(each.number)) ?? waiting.get(name);
  if (reason !== undefined) {
    it.skip(`${name} waits for ${reason}`, () => undefined);
    return;
  }
  it(each.kind === 'steps' && each.part === '' ? `${name} ${told(each.steps[0])}` : name, async () => {
    const zoo = await stage().initial();
    const from = zoo.exchanges.length;
    try {
      await run(each, zoo);
      await expectUntouched(zoo, from);
    } catch (error) {
      throw withExchanges(error, zoo, from);
    } finally {
      for (const exchange of zoo.exchanges.slice(from)) {
        for (const rule of brokenRules(zoo.profile, exchange)) broken.add(`${name}: ${rule}`);
      }
    }
  });
}

function nameOf(each: Example): string {
  return `${each.number} ${each.part}`.trim();
}

function told(step: Step | undefined): string {
  if (step === undefined) return '';
  return `${step.method} ${typeof step.target === 'string' ? step.target : '…'}`;
}

async function run(each: Example, zoo: Zoo): Promise<void> {
  if (each.kind === 'story') return each.tell(zoo);
  for (const { method, target, options, expected } of each.steps) {
    const whole = typeof target === 'string' ? target : target(zoo);
    const answer = await zoo.send(method, whole, options);
    expect(answer).toMatchObject({ status: expected.status });
    expected.check?.(answer, { target: whole, profile: zoo.profile });
  }
}

/** A refused change leaves no trace: the entity tag names the catalog's last change, of data or model (8.2). */
async function expectUntouched(zoo: Zoo, from: number): Promise<void> {
  if (zoo.changed() || !zoo.exchanges.slice(from).some(({ method }) => changing.has(method))) return;
  const { headers } = await zoo.send('GET', 'entity/zoo:animal');
  expect(headers.etag).toBe(zoo.initialTag);
}

/** The error with what was sent and answered before it, the last exchange first. */
function withExchanges(error: unknown, zoo: Zoo, from: number): Error {
  const lines = zoo.exchanges
    .slice(from)
    .reverse()
    .map(({ method, target, sent, answer }) => {
      const body = sent.body === undefined ? '' : ` ${sent.body.text}`;
      return `${method} ${target}${body}\n  -> ${answer.status} ${answer.text.slice(0, 1000)}`;
    });
  const message = error instanceof Error ? error.message : String(error);
  return new Error(`${lines.join('\n')}\n\n${message}`, { cause: error });
}

function numbers(): readonly number[] {
  return [...new Set(sections.flatMap(({ examples }) => examples.map(({ number }) => number)))].sort((a, b) => a - b);
}
