import type { Database } from '@holdfast/pg-kit';
import { describe, expect, it } from '@jest/globals';
import type { Model } from './model.js';
import { modelCache } from './model-cache.js';

/** A database that gives a model when it is told to, whatever it is asked. */
function slowDatabase() {
  const waiting: ((model: Model) => void)[] = [];
  const ask = () => new Promise<Model>((resolve) => waiting.push(resolve));
  const database = { withConnection: ask } as Partial<Database> as Database;
  return { database, waiting };
}

const state = { modelVersion: 1n, snapshot: 5n, amendment: null, changedByHand: false };
const model = { version: 1n, schemas: new Map() } as Partial<Model> as Model;

describe('models of the past', () => {
  it('are loaded once for all requests that wait for them, and kept', async () => {
    const { database, waiting } = slowDatabase();
    const cache = modelCache(async () => true);
    const asked = [1, 2, 3].map((snapshot) => cache.at(database, 'c', { ...state, snapshot: BigInt(snapshot) }));
    expect(waiting).toHaveLength(1);
    waiting[0]?.(model);
    expect(await Promise.all(asked)).toEqual([model, model, model]);
    expect(await cache.at(database, 'c', state)).toBe(model);
    expect(waiting).toHaveLength(1);
  });

  it('are others after an amendment, and in another catalog', () => {
    const { database, waiting } = slowDatabase();
    const cache = modelCache(async () => true);
    for (const [key, amendment] of [
      ['c', null],
      ['c', 7n],
      ['d', 7n],
    ] as const)
      void cache.at(database, key, { ...state, amendment });
    expect(waiting).toHaveLength(3);
  });

  it('are asked for again when a load has failed', async () => {
    const { database, waiting } = slowDatabase();
    const failing: Partial<Database> = { withConnection: () => Promise.reject(new Error('away')) };
    const cache = modelCache(async () => true);
    await expect(cache.at(failing as Database, 'c', state)).rejects.toThrow('away');
    const again = cache.at(database, 'c', state);
    waiting[0]?.(model);
    expect(await again).toBe(model);
  });
});
