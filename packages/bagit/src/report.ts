import type { BagInfoEntry, PayloadOxum } from './bag-info.js';
import type { BagVersion } from './version.js';

export type FindingCode =
  | 'unreadable'
  | 'bad_declaration'
  | 'bad_tag_file'
  | 'no_data_directory'
  | 'no_manifest'
  | 'unknown_algorithm'
  | 'weak_algorithm'
  | 'unsafe_path'
  | 'duplicate'
  | 'link'
  | 'stray_entry'
  | 'missing_file'
  | 'unlisted_file'
  | 'checksum_mismatch'
  | 'length_mismatch'
  | 'oxum_mismatch'
  | 'incomplete'
  | 'fetch_failed'
  | 'case_only'
  | 'inexact_name';

export interface Finding {
  readonly code: FindingCode;
  readonly message: string;
  /** the tag file it was found in */
  readonly file?: string;
  readonly line?: number;
  /** the file it is about */
  readonly path?: string;
}

export interface BagReport {
  /** no errors; warnings do not count */
  readonly valid: boolean;
  /** the first thousand; `errorCount` has all */
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly errorCount: number;
  readonly warningCount: number;
  readonly version: BagVersion | undefined;
  readonly info: readonly BagInfoEntry[];
  /** of the payload manifests, normalised names */
  readonly algorithms: readonly string[];
  /** payload as found, including what was fetched for checking */
  readonly payload: PayloadOxum;
  readonly fetch: { readonly entries: number; readonly missing: number; readonly fetched: number };
}

const KEPT = 1000;

/** Collects findings; a hopeless bag of a million files must not need the memory of a million messages. */
export class Findings {
  readonly errors: Finding[] = [];
  readonly warnings: Finding[] = [];
  errorCount = 0;
  warningCount = 0;

  error(code: FindingCode, message: string, where: Omit<Finding, 'code' | 'message'> = {}): void {
    this.errorCount += 1;
    if (this.errors.length < KEPT) this.errors.push({ code, message, ...where });
  }

  warn(code: FindingCode, message: string, where: Omit<Finding, 'code' | 'message'> = {}): void {
    this.warningCount += 1;
    if (this.warnings.length < KEPT) this.warnings.push({ code, message, ...where });
  }
}

/** One line for people: `manifest-md5.txt:3: …`. Names are quoted so that they cannot write to a terminal. */
export function describeFinding(finding: Finding): string {
  const place =
    finding.file === undefined ? '' : `${finding.file}${finding.line === undefined ? '' : `:${finding.line}`}: `;
  const path = finding.path === undefined ? '' : `${JSON.stringify(finding.path)} `;
  return `${place}${path}${finding.message}`;
}
