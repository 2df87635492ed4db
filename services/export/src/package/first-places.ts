import { createHash } from 'node:crypto';

/** Remembers for each name where it was seen first, in 16 bytes: a million of them must not need the memory of their texts. */
export interface FirstPlaces {
  /**
   * @param place a safe whole number
   * @returns where the name was seen before; null: nowhere, it is taken to be at `place`
   */
  claim(name: string, place: number): number | null;
}

const FIRST_SLOTS = 4_096;

/** Names are told apart by 63 bits of a digest: whoever must be sure looks at the place. */
export function firstPlaces(): FirstPlaces {
  // open addressing
  let keys = new BigUint64Array(FIRST_SLOTS);
  let places = new Float64Array(FIRST_SLOTS);
  let count = 0;
  const grow = (): void => {
    const [oldKeys, oldPlaces] = [keys, places];
    keys = new BigUint64Array(2 * oldKeys.length);
    places = new Float64Array(2 * oldKeys.length);
    for (const [slot, key] of oldKeys.entries()) {
      if (key === 0n) continue;
      const to = slotOf(keys, key);
      keys[to] = key;
      places[to] = oldPlaces[slot] ?? 0;
    }
  };
  return {
    claim: (name, place) => {
      const key = digest(name);
      const slot = slotOf(keys, key);
      if (keys[slot] === key) return places[slot] ?? 0;
      keys[slot] = key;
      places[slot] = place;
      count += 1;
      if (count * 3 > keys.length * 2) grow();
      return null;
    },
  };
}

/** The slot of a key, or the free one where it belongs. The number of slots is a power of two. */
function slotOf(keys: BigUint64Array, key: bigint): number {
  const mask = keys.length - 1;
  let slot = Number(key & 0xffff_ffffn) & mask;
  while (keys[slot] !== 0n && keys[slot] !== key) slot = (slot + 1) & mask;
  return slot;
}

/** Never 0, which stands for an empty slot. */
function digest(text: string): bigint {
  return createHash('md5').update(text).digest().readBigUInt64LE(0) | (1n << 63n);
}
