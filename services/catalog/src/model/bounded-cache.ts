/** Values by key; those used longest ago go first when there are too many or they are too heavy together. */
export interface BoundedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** Bounds of a cache. The entry that was set last stays even if it alone is beyond them. */
export interface CacheBounds<Value> {
  readonly mostEntries?: number;
  readonly mostWeight: number;
  weightOf(value: Value): number;
}

/** Makes an empty cache. */
export function boundedCache<Value>({ mostEntries, mostWeight, weightOf }: CacheBounds<Value>): BoundedCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly weight: number }>();
  let held = 0;
  const remove = (key: string): void => {
    held -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  const isFull = (): boolean => held > mostWeight || entries.size > (mostEntries ?? Number.POSITIVE_INFINITY);
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value) => {
      remove(key);
      const weight = weightOf(value);
      entries.set(key, { value, weight });
      held += weight;
      for (const oldest of entries.keys()) {
        if (!isFull() || oldest === key) break;
        remove(oldest);
      }
    },
  };
}
