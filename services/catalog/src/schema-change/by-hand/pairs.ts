/** A way to recognise an element in the database: the same text on both sides. Null: not by this. */
export interface Mark<Element, Thing> {
  ofElement(element: Element): string | null;
  ofThing(thing: Thing): string | null;
}

/**
 * Pairs elements of the model with things of the database, by the first mark they share; no element and no thing twice.
 * @param marks the surest first
 */
export function pairUp<Element, Thing>(
  elements: readonly Element[],
  things: readonly Thing[],
  marks: readonly Mark<Element, Thing>[],
): ReadonlyMap<Thing, Element> {
  const pairs = new Map<Thing, Element>();
  const taken = new Set<Element>();
  for (const mark of marks) {
    const byMark = new Map<string, Element>();
    for (const element of elements) {
      const text = taken.has(element) ? null : mark.ofElement(element);
      if (text !== null) byMark.set(text, element);
    }
    for (const thing of things) {
      const text = pairs.has(thing) ? null : mark.ofThing(thing);
      const element = text === null ? undefined : byMark.get(text);
      if (element === undefined || taken.has(element)) continue;
      pairs.set(thing, element);
      taken.add(element);
    }
  }
  return pairs;
}
