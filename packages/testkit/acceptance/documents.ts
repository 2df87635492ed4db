/** A value of a document, by the path of its members; undefined where there is none. */
export function at(document: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, member) => (typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined),
    document,
  );
}

/** A document that must be an array. */
export function items(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  throw new TypeError(`Not an array: ${JSON.stringify(document)}`);
}

/** A value that must be a string. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`Not a string: ${JSON.stringify(value)}`);
}

/** The object in a list whose member has this value. */
export function find(document: unknown, member: string, value: unknown): unknown {
  return items(document).find((item) => at(item, member) === value);
}
