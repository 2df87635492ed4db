/** One version of a configuration: its document, and from when until when it held, in microseconds; null: still. */
export interface ConfigurationVersion<Doc> {
  readonly lo: bigint;
  readonly hi: bigint | null;
  readonly doc: Doc;
}

/** From an instant until before another; null: for ever. */
export interface Lifetime {
  readonly lo: bigint;
  readonly hi: bigint | null;
}

/**
 * What becomes of the versions of a configuration that is amended within a span: cut at its ends, and replaced in between as long as the
 * element lived (spec/catalog-access.md 10.3).
 * @param replacement made of the document that held, null where none did; null for none
 * @returns the versions in place of all that were given
 */
export function amendedVersions<Doc>(
  versions: readonly ConfigurationVersion<Doc>[],
  element: Lifetime,
  span: { readonly lo: bigint; readonly hi: bigint },
  replacement: (before: Doc | null) => Doc | null,
): readonly ConfigurationVersion<Doc>[] {
  const kept = versions.flatMap((version) => outside(version, span));
  const lo = later(element.lo, span.lo);
  const hi = element.hi === null || element.hi > span.hi ? span.hi : element.hi;
  if (lo >= hi) return versions;
  const cuts = versions.flatMap((version) => [version.lo, version.hi ?? hi]).filter((cut) => cut > lo && cut < hi);
  const bounds = [...new Set([lo, ...cuts, hi])].sort((a, b) => (a < b ? -1 : 1));
  const replaced = bounds.slice(0, -1).flatMap((begin, index) => {
    const before = versions.find((version) => version.lo <= begin && (version.hi === null || version.hi > begin));
    const doc = replacement(before?.doc ?? null);
    return doc === null ? [] : [{ lo: begin, hi: bounds[index + 1] ?? hi, doc }];
  });
  return joined([...kept, ...replaced].sort((a, b) => (a.lo < b.lo ? -1 : 1)));
}

function later(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}

/** The parts of a version before and after a span. */
function outside<Doc>(
  version: ConfigurationVersion<Doc>,
  span: { readonly lo: bigint; readonly hi: bigint },
): readonly ConfigurationVersion<Doc>[] {
  const { lo, hi, doc } = version;
  if (lo >= span.hi || (hi !== null && hi <= span.lo)) return [version];
  return [
    ...(lo < span.lo ? [{ lo, hi: span.lo, doc }] : []),
    ...(hi === null || hi > span.hi ? [{ lo: span.hi, hi, doc }] : []),
  ];
}

/** Versions that follow each other and say the same are one. */
function joined<Doc>(versions: readonly ConfigurationVersion<Doc>[]): readonly ConfigurationVersion<Doc>[] {
  const result: ConfigurationVersion<Doc>[] = [];
  for (const version of versions) {
    const last = result.at(-1);
    if (last !== undefined && last.hi === version.lo && JSON.stringify(last.doc) === JSON.stringify(version.doc))
      result[result.length - 1] = { ...last, hi: version.hi };
    else result.push(version);
  }
  return result;
}
