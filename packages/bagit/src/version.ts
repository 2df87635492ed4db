/** Versions that are read. Written are 1.0 and 0.97 (`WritableVersion`). */
export const BAG_VERSIONS = ['0.93', '0.94', '0.95', '0.96', '0.97', '1.0'] as const;
export type BagVersion = (typeof BAG_VERSIONS)[number];
export type WritableVersion = '0.97' | '1.0';

/** Where the versions differ, as far as it decides what is valid. */
export interface VersionRules {
  readonly infoFile: 'bag-info.txt' | 'package-info.txt';
  /** 1.0: each payload file is in each manifest; before: in at least one. */
  readonly everyManifest: boolean;
  /** What is percent-encoded in a path: since 0.97 line ends, since 1.0 also the percent sign itself. */
  readonly encoded: 'nothing' | 'line-ends' | 'line-ends-and-percent';
  /** 1.0 fixes `Label: value` and forbids naming a file twice in a manifest. */
  readonly strictLines: boolean;
}

/** The rules of a version (RFC 8493 and draft-kunze-bagit-00 to -14). */
export function rulesOf(version: BagVersion): VersionRules {
  switch (version) {
    case '0.93':
    case '0.94':
    case '0.95':
      return { infoFile: 'package-info.txt', everyManifest: false, encoded: 'nothing', strictLines: false };
    case '0.96':
      return { infoFile: 'bag-info.txt', everyManifest: false, encoded: 'nothing', strictLines: false };
    case '0.97':
      return { infoFile: 'bag-info.txt', everyManifest: false, encoded: 'line-ends', strictLines: false };
    case '1.0':
      return { infoFile: 'bag-info.txt', everyManifest: true, encoded: 'line-ends-and-percent', strictLines: true };
  }
}

export function isBagVersion(text: string): text is BagVersion {
  return BAG_VERSIONS.some((known) => known === text);
}
