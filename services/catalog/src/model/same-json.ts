/** Whether two JSON values are equal; the order of members does not count, that of items does. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b) || a === b;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index]))
    );
  const members = new Map(Object.entries(b));
  const own = Object.entries(a);
  return (
    own.length === members.size && own.every(([name, value]) => members.has(name) && sameJson(value, members.get(name)))
  );
}
