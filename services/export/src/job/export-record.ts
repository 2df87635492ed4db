import { type ErrorCode, errorCodes } from '@holdfast/http-kit';
import { z } from 'zod';
import { exportRequestSchema } from '../request/export-request.js';
import { exportStates } from './export-state.js';

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];

/** Why an export failed, as a synchronous caller would have got it. */
export const exportFailureSchema = z.object({ status: z.number(), code: z.enum(codes), detail: z.string() });
export type ExportFailure = z.output<typeof exportFailureSchema>;

const progressSchema = z.object({
  stage: z.enum(['query', 'transfer', 'archive', 'publish']),
  /** Number of the query at work, from 1; 0 before the first. */
  query: z.number(),
  queries: z.number(),
  rows: z.number(),
  /** Read from catalog and object store. */
  bytes: z.number(),
  files: z.number(),
  /** Of the whole, as far as that is known; null: it is not. */
  percent: z.number().nullable().default(null),
});

/** How far an export is. */
export type ExportProgress = z.output<typeof progressSchema>;

const rowSchema = z.object({
  id: z.string(),
  owner: z.string().nullable(),
  owner_name: z.string().nullable(),
  readers: z.array(z.string()),
  kind: z.enum(['file', 'bag']),
  state: z.enum(exportStates),
  attempt: z.number(),
  request: exportRequestSchema,
  export_url: z.string(),
  created: z.string(),
  started: z.string().nullable(),
  finished: z.string().nullable(),
  expires: z.string().nullable(),
  progress: progressSchema,
  error: exportFailureSchema.nullable(),
});

/** An export as it stands in the database. Times are text in ISO 8601, UTC. */
export interface ExportRecord {
  readonly id: string;
  /** Null: made by an anonymous client. */
  readonly owner: string | null;
  readonly ownerName: string | null;
  readonly readers: readonly string[];
  readonly kind: 'file' | 'bag';
  readonly state: z.output<typeof rowSchema>['state'];
  /** How often a worker took it up. */
  readonly attempt: number;
  readonly request: z.output<typeof exportRequestSchema>;
  /** What its URLs start with. */
  readonly exportUrl: string;
  readonly created: string;
  readonly started: string | null;
  readonly finished: string | null;
  readonly expires: string | null;
  readonly progress: ExportProgress;
  readonly error: ExportFailure | null;
}

/** One file that an export made. */
export interface ExportOutput {
  /** Relative to the export. */
  readonly path: string;
  /** Path of the version in the object store. */
  readonly versionPath: string;
  readonly bytes: number;
  readonly contentType: string;
  /** Hex. */
  readonly md5: string;
  readonly sha256: string;
}

/** Nothing done yet. */
export function initialProgress(queries: number): ExportProgress {
  return { stage: 'query', query: 0, queries, rows: 0, bytes: 0, files: 0, percent: null };
}

/** Columns of {@link rowSchema}, with times as text. */
export const RECORD_COLUMNS = [
  'id, owner, owner_name, readers, kind, state, attempt, request, export_url, progress, error',
  ...['created', 'started', 'finished', 'expires'].map(
    (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`,
  ),
].join(', ');

/** Reads a row selected by {@link RECORD_COLUMNS}. */
export function recordOf(row: unknown): ExportRecord {
  const { owner_name: ownerName, export_url: exportUrl, ...rest } = rowSchema.parse(row);
  return { ...rest, ownerName, exportUrl };
}
