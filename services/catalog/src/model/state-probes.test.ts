import type { Database } from '@holdfast/pg-kit';
import { describe, expect, it } from '@jest/globals';
import type { CatalogState } from './catalog-state.js';
import { stateProbes } from './state-probes.js';

/** The probe is a stand-in, and so is what it would use. */
const database = {} as Database;

function state(version: number): CatalogState {
  return { modelVersion: BigInt(version), snapshot: BigInt(version), amendment: null, changedByHand: false };
}

describe('probes of the state', () => {
  it('are shared by those who came before they began, and by nobody else', async () => {
    const answers: ((version: number) => void)[] = [];
    const probes = stateProbes(() => new Promise((resolve) => answers.push((version) => resolve(state(version)))));
    const version = async (): Promise<bigint> => (await probes.state(database, 'a')).modelVersion;
    const first = version();
    const second = version();
    const third = version();
    expect(answers).toHaveLength(1);
    answers[0]?.(1);
    expect(await first).toBe(1n);
    await Promise.resolve();
    expect(answers).toHaveLength(2);
    const fourth = version();
    answers[1]?.(2);
    expect(await Promise.all([second, third])).toEqual([2n, 2n]);
    await new Promise(setImmediate);
    answers[2]?.(3);
    expect(await fourth).toBe(3n);
    await new Promise(setImmediate);
    const fifth = version();
    expect(answers).toHaveLength(4);
    answers[3]?.(4);
    expect(await fifth).toBe(4n);
  });

  it('that fail do not stop the next ones', async () => {
    let count = 0;
    const probes = stateProbes(async () => {
      count += 1;
      if (count === 1) throw new Error('away');
      return state(count);
    });
    const [first, second] = [probes.state(database, 'a'), probes.state(database, 'a')];
    await expect(first).rejects.toThrow('away');
    expect((await second).modelVersion).toBe(2n);
    expect((await probes.state(database, 'a')).modelVersion).toBe(3n);
  });
});
