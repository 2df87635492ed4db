/**
 * Begins work on the next items while earlier ones are being used; gives results in order. What was begun and not given out is dropped.
 * @param most items begun at a time, the one in use not counted
 */
export async function* readAhead<Item, Result>(
  items: AsyncIterable<Item>,
  most: number,
  begin: (item: Item) => Promise<Result>,
  drop: (result: Result) => void,
): AsyncGenerator<Result, void, undefined> {
  const begun: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = begin(item);
      // a failure counts when its turn comes
      result.catch(() => undefined);
      begun.push(result);
      if (begun.length > most) yield* firstOf(begun);
    }
    while (begun.length > 0) yield* firstOf(begun);
  } finally {
    for (const result of begun) result.then(drop, () => undefined);
  }
}

async function* firstOf<Result>(begun: Promise<Result>[]): AsyncGenerator<Result, void, undefined> {
  const [first] = begun;
  if (first === undefined) return;
  const result = await first;
  begun.shift();
  yield result;
}
