import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { testSeed } from '../support/test-seed.js';
import { expectedAnswer } from './answer.js';
import { type Chooser, chooserOf } from './chooser.js';
import { type ClientRoles, decisionsFor } from './decide.js';
import type { State } from './match.js';
import { type Policy, randomPolicy } from './policy.js';
import { difference, type RecordedCase } from './recorded.js';
import { type AccessRequest, randomRequest } from './requests.js';
import { allRules, type RuleName, ruleNames, without } from './rules.js';
import { clients, randomState, Workbench } from './workbench.js';

/**
 * Random requests of random clients under random policies, asked of the service and of a naive evaluator in memory. `TEST_SEED` repeats
 * a run, `ACCESS_POLICIES` makes it longer.
 */
const seed = testSeed();
const policies = Number(process.env.ACCESS_POLICIES ?? 40);
const REQUESTS = 50;
/** So many policies are looked through for a request that shows a rule at work. */
const SEARCHED = 400;

describe(`random requests under random policies (TEST_SEED=${seed})`, () => {
  let fixture: CatalogFixture;
  let catalog = '';
  let schemas = 0;
  const cases: RecordedCase[] = [];

  beforeAll(async () => {
    fixture = await startCatalog();
    catalog = await fixture.createCatalog();
  });
  afterAll(() => fixture.close());

  async function checkPolicy(gen: fc.GeneratorValue): Promise<void> {
    const choose = chooserOf(gen);
    schemas += 1;
    const workbench = new Workbench(fixture, catalog, `s${schemas}`, randomPolicy(choose));
    await workbench.open(randomState(choose, workbench.policy));
    for (let index = 0; index < REQUESTS; index += 1) {
      const rids = workbench.state.flatMap((rows) => rows.map(({ RID }) => String(RID)));
      const as = randomClient(choose);
      const request = randomRequest(choose, workbench.policy, rids);
      const recorded = await workbench.ask(as, request);
      const wrong = difference(recorded, allRules);
      if (wrong !== null)
        throw new Error(
          `${as} ${workbench.text(request)}\n${wrong}\n${JSON.stringify(recorded.answer)?.slice(0, 2000)}`,
        );
      cases.push(recorded);
    }
  }

  it('are answered as the naive evaluator answers them', async () => {
    await fc.assert(fc.asyncProperty(fc.gen(), checkPolicy), {
      seed,
      numRuns: policies,
      // a smaller policy says little more, and takes as long to make
      endOnFailure: true,
    });
    expect(cases.length).toBeGreaterThanOrEqual(policies * REQUESTS);
  }, 200_000);

  it('would not be answered so by an evaluator that lacks any one rule', async () => {
    const rare = ruleNames.filter((rule) => !cases.some((recorded) => difference(recorded, without(rule)) !== null));
    // one for each policy: what one generator makes leans to one side
    const generators = fc.sample(fc.gen(), { seed: seed + 1, numRuns: SEARCHED });
    // what a random run happens not to ask is looked for in memory, then asked
    for (const rule of rare) {
      // system columns of stored rows are not known in memory, so that not each of these shows it in the end
      let shown = false;
      for (const { policy, rows, client, request } of witnessesOf(rule, generators)) {
        schemas += 1;
        const workbench = new Workbench(fixture, catalog, `s${schemas}`, policy);
        // connections that went idle during the search are noticed before one of them is used
        await setTimeout(50);
        await workbench.open(rows);
        const recorded = await workbench.ask(client, request);
        expect([rule, difference(recorded, allRules)]).toEqual([rule, null]);
        shown = difference(recorded, without(rule)) !== null;
        if (shown) break;
      }
      expect([rule, shown]).toEqual([rule, true]);
    }
  }, 200_000);
});

function randomClient(choose: Chooser): keyof typeof clients {
  return choose.pick(['alice', 'bob', 'bob', 'bob', 'bob', 'carol', 'carol', 'anon'] as const);
}

interface Witness {
  readonly policy: Policy;
  readonly rows: State;
  readonly client: keyof typeof clients;
  readonly request: AccessRequest;
}

/** Requests whose answers are to be told apart from those without a rule, one of a policy. */
function* witnessesOf(rule: RuleName, generators: readonly fc.GeneratorValue[]): Generator<Witness> {
  for (const choose of generators.map(chooserOf)) {
    const policy = randomPolicy(choose);
    const rows = randomState(choose, policy);
    for (let index = 0; index < REQUESTS; index += 1) {
      const client = randomClient(choose);
      const request = randomRequest(choose, policy, ['none']);
      if (difference(asExpected(policy, clients[client], request, rows), without(rule)) === null) continue;
      yield { policy, rows, client, request };
      break;
    }
  }
}

/** What a service that follows all rules would have made of a request. */
function asExpected(policy: Policy, client: ClientRoles, request: AccessRequest, before: State): RecordedCase {
  const { status, rows, state } = expectedAnswer(
    request,
    policy,
    before,
    decisionsFor(policy, client, allRules),
    allRules,
  );
  return { policy, client, request, before, status, answer: rows, after: state };
}
