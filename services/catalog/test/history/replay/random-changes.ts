import type { Cell, KnownTable, NaiveChange, NaiveType, Place } from './naive-catalog.js';

/** A source of random numbers that gives the same ones for the same seed. */
export interface Random {
  /** 0 … count - 1. */
  below(count: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to choose from');
      return item;
    },
  };
}

const loosePlaces: readonly Place[] = [
  { schema: 'S', table: 't' },
  { schema: 'U', table: 't' },
  { schema: 'U', table: 'u' },
];
const columnNames = ['a', 'b', 'c', 'd'];
const types: readonly NaiveType[] = ['int4', 'float8', 'text'];
const MOST_ID = 25;

/**
 * A change that may succeed or not: others may have changed meanwhile what is known.
 * @param known tables as they were a moment ago
 * @param serial a number that no other change has
 */
export function randomChange(random: Random, known: readonly KnownTable[], serial: number): NaiveChange {
  if (random.below(100) < 85) return rowChange(random, random.pick(known), serial);
  const free = loosePlaces.filter(
    ({ schema, table }) => !known.some((each) => each.schema === schema && each.table === table),
  );
  if (free.length > 0 && random.below(4) === 0) {
    const { schema, table } = random.pick(free);
    return { kind: 'create table', schema, name: table };
  }
  return modelChange(random, random.pick(known), free, serial);
}

/** A change with SQL, of one of the two tables that stay. */
export function randomChangeByHand(
  random: Random,
  known: readonly KnownTable[],
  serial: number,
): Extract<NaiveChange, { kind: 'by hand' }> {
  const table = random.pick(known.filter(isFixed));
  return {
    kind: 'by hand',
    ...placeOf(table),
    ids: [1 + random.below(MOST_ID), 1 + random.below(MOST_ID)],
    column: changeable(random, table),
    value: cell(random, serial),
  };
}

function isFixed({ table }: Place): boolean {
  return table === 'parent' || table === 'child';
}

function placeOf({ schema, table }: Place): Place {
  return { schema, table };
}

/** The column a of the child refers to the parent. */
function changeable(random: Random, { table, columns }: KnownTable): string {
  const names = columns.map(({ name }) => name).filter((name) => name !== 'id' && !(table === 'child' && name === 'a'));
  return names.length === 0 ? 'b' : random.pick(names);
}

function rowChange(random: Random, known: KnownTable, serial: number): NaiveChange {
  const place = placeOf(known);
  const some = <Item>(items: readonly Item[]): readonly Item[] =>
    items.length === 0 ? [] : [...new Set([1, 2, 3].slice(random.below(3)).map(() => random.pick(items)))];
  const free = Array.from({ length: MOST_ID }, (_, index) => index + 1).filter((id) => !known.ids.includes(id));
  const ids = some(known.ids);
  if (ids.length === 0 || (random.below(3) === 0 && free.length > 0)) {
    const given = known.columns.filter(({ name }) => name !== 'id' && random.below(3) > 0);
    const rows = some(free).map((id) => ({
      id,
      ...Object.fromEntries(
        given.map(({ name, type }) => [
          name,
          known.table === 'child' && name === 'a' ? 1 + random.below(MOST_ID) : value(random, type, serial),
        ]),
      ),
    }));
    return { kind: 'insert', ...place, rows };
  }
  switch (random.below(5)) {
    case 0:
      return { kind: 'delete', ...place, ids };
    case 1:
      return { kind: 'clear', ...place, ids, column: changeable(random, known) };
    default: {
      const column = changeable(random, known);
      const type = known.columns.find(({ name }) => name === column)?.type ?? 'int4';
      return { kind: 'update', ...place, ids, column, value: value(random, type, serial) };
    }
  }
}

function value(random: Random, type: NaiveType, serial: number): Cell {
  return type === 'text' ? cell(random, serial) : serial;
}

function cell(random: Random, serial: number): Cell {
  return random.below(4) === 0 ? `text ${serial}` : serial;
}

function modelChange(random: Random, known: KnownTable, free: readonly Place[], serial: number): NaiveChange {
  const place = placeOf(known);
  const column = changeable(random, known);
  const spare = columnNames.filter((name) => !known.columns.some((each) => each.name === name));
  switch (random.below(isFixed(known) ? 6 : 9)) {
    case 0:
    case 1:
      return spare.length === 0
        ? { kind: 'drop column', ...place, column }
        : { kind: 'add column', ...place, column: random.pick(spare), ...random.pick(added(serial)) };
    case 2:
      return { kind: 'drop column', ...place, column };
    case 3:
      return { kind: 'rename column', ...place, column, to: random.pick([...spare, column === 'e' ? 'f' : 'e']) };
    case 4:
      return { kind: 'retype column', ...place, column, type: random.pick(types) };
    case 5:
      return { kind: 'restrict', ...place, select: ['alice', `role ${serial}`] };
    case 6:
      return { kind: 'annotate', ...place, note: serial, captured: random.below(3) > 0 };
    case 7:
      return { kind: 'drop table', ...place };
    default: {
      const [to] = free;
      return to === undefined ? { kind: 'drop table', ...place } : { kind: 'place table', ...place, to };
    }
  }
}

function added(serial: number): readonly { readonly type: NaiveType; readonly value: Cell }[] {
  return [
    { type: 'int4', value: null },
    { type: 'int4', value: serial },
    { type: 'text', value: `default ${serial}` },
    { type: 'float8', value: serial },
  ];
}
