/** What an export was made of, for whoever reads its bag in ten years (spec/export.md 8.2). */
export interface Provenance {
  /** A query that was asked, and where its result went; null for one that only gave variables. */
  query(queryPath: string, outputPath: string | null): void;
  /** A query that the snapshot refused, so that it shows another moment than the rest. Told once, however many pages it had. */
  readLive(queryPath: string): void;
  /** Lines of bag-info.txt, in the order in which things happened. */
  entries(): readonly ProvenanceEntry[];
}

/** One line. */
export interface ProvenanceEntry {
  readonly label: 'Source-Query' | 'Source-Warning';
  readonly value: string;
}

/** Nothing asked yet. */
export function provenance(): Provenance {
  const entries: ProvenanceEntry[] = [];
  const live = new Set<string>();
  return {
    query: (queryPath, outputPath) => {
      const value = outputPath === null ? queryPath : `${queryPath} > ${outputPath}`;
      entries.push({ label: 'Source-Query', value });
    },
    readLive: (queryPath) => {
      if (live.has(queryPath)) return;
      live.add(queryPath);
      entries.push({ label: 'Source-Warning', value: `${queryPath} was read live, not at the snapshot` });
    },
    entries: () => entries,
  };
}
