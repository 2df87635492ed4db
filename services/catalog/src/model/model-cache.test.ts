import { describe, expect, it } from '@jest/globals';
import type { Model } from './model.js';
import { modelCache } from './model-cache.js';

/** A load that gives a model when it is told to. */
function slowLoad() {
  const waiting: ((model: Model) => void)[] = [];
  const load = () => new Promise<Model>((resolve) => waiting.push(resolve));
  return { load, waiting };
}

const state = { modelVersion: 1n, snapshot: 5n, amendment: null, changedByHand: false };
const model = { version: 1n, schemas: new Map() } as Partial<Model> as Model;

describe('models of the past', () => {
  it('are loaded once for all requests that wait for them, and kept', async () => {
    const { load, waiting } = slowLoad();
    const cache = modelCache(async () => true);
    const asked = [1, 2, 3].map((snapshot) => cache.at('c', { ...state, snapshot: BigInt(snapshot) }, load));
    expect(waiting).toHaveLength(1);
    waiting[0]?.(model);
    expect(await Promise.all(asked)).toEqual([model, model, model]);
    expect(await cache.at('c', state, load)).toBe(model);
    expect(waiting).toHaveLength(1);
  });

  it('are others after an amendment, at each snapshot it covers, and in another catalog', () => {
    const { load, waiting } = slowLoad();
    const cache = modelCache(async () => true);
    for (const [key, snapshot, amendment] of [
      ['c', 5n, null],
      ['c', 5n, 7n],
      ['c', 6n, 7n],
      ['d', 5n, 7n],
    ] as const)
      void cache.at(key, { ...state, snapshot, amendment }, load);
    expect(waiting).toHaveLength(4);
  });

  it('are asked for again when a load has failed', async () => {
    const { load, waiting } = slowLoad();
    const cache = modelCache(async () => true);
    await expect(cache.at('c', state, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    const again = cache.at('c', state, load);
    waiting[0]?.(model);
    expect(await again).toBe(model);
  });
});
