import { createHash } from 'node:crypto';

/** Remembers for each path what was said of it, in 16 bytes: a million references must not need the memory of a million lines. */
export interface SeenReferences {
  /** @returns whether the path is new, or was there with the same text, or with another one */
  add(path: string, text: string): 'new' | 'same' | 'different';
}

const FIRST_SLOTS = 4_096;

/** Digests of eight bytes: among a million paths two different ones are taken for one with a chance of 1 in 30 million. */
export function seenReferences(): SeenReferences {
  // open addressing; a path and its text lie next to each other
  let slots = new BigUint64Array(2 * FIRST_SLOTS);
  let count = 0;
  const slotOf = (table: BigUint64Array, key: bigint): number => {
    const most = BigInt(table.length / 2);
    let at = Number(key % most);
    for (;;) {
      const found = table[2 * at];
      if (found === 0n || found === key) return at;
      at = at + 1 === Number(most) ? 0 : at + 1;
    }
  };
  const grow = (): void => {
    const larger = new BigUint64Array(2 * slots.length);
    for (let at = 0; at < slots.length; at += 2) {
      const key = slots[at] ?? 0n;
      if (key === 0n) continue;
      const to = slotOf(larger, key);
      larger[2 * to] = key;
      larger[2 * to + 1] = slots[at + 1] ?? 0n;
    }
    slots = larger;
  };
  return {
    add: (path, text) => {
      const key = digest(path);
      const value = digest(text);
      const at = slotOf(slots, key);
      if (slots[2 * at] === key) return slots[2 * at + 1] === value ? 'same' : 'different';
      slots[2 * at] = key;
      slots[2 * at + 1] = value;
      count += 1;
      if (count * 3 > slots.length) grow();
      return 'new';
    },
  };
}

/** Never 0, which stands for an empty slot. */
function digest(text: string): bigint {
  return createHash('md5').update(text).digest().readBigUInt64LE(0) | 1n;
}
