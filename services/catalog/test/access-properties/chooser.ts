import fc from 'fast-check';

/** Random choices, which fast-check records and shrinks. */
export interface Chooser {
  /** A whole number from 0 up to, not including, the bound. */
  below(bound: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True so many times in a hundred. */
  chance(percent: number): boolean;
}

export function chooserOf(gen: fc.GeneratorValue): Chooser {
  const below = (bound: number): number => gen(fc.nat, { max: bound - 1 });
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('There is nothing to choose from.');
      return item;
    },
    chance: (percent) => below(100) >= 100 - percent,
  };
}
