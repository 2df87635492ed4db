import { encodeName } from '@holdfast/clients';
import type { ExportOutput, ExportRecord } from './export-record.js';

/** URL of a result: each segment of its path encoded (spec/export.md 6.4). */
export function resultUrl(record: Pick<ExportRecord, 'id' | 'exportUrl'>, path: string): string {
  return `${record.exportUrl}/file/${record.id}/${path.split('/').map(encodeName).join('/')}`;
}

/** URL of the log. */
export function logUrl(record: Pick<ExportRecord, 'id' | 'exportUrl'>): string {
  return `${record.exportUrl}/file/${record.id}/log`;
}

/** URL of the status. */
export function jobUrl(record: Pick<ExportRecord, 'id' | 'exportUrl'>): string {
  return `${record.exportUrl}/job/${record.id}`;
}

/** What is shown of a status. */
export type ShownStatus = (status: number) => number;

/**
 * The status document (spec/export.md 10.2).
 * @param shown its error has the status that a synchronous caller would have got
 */
export function statusDocument(record: ExportRecord, outputs: readonly ExportOutput[], shown: ShownStatus): object {
  const { error, log, ...summary } = jobSummary(record, shown);
  const results = outputs.map((output) => ({
    url: resultUrl(record, output.path),
    path: output.path,
    bytes: output.bytes,
    content_type: output.contentType,
    md5: output.md5,
    sha256: output.sha256,
  }));
  return { ...summary, results, log, error };
}

/** The status document without results, of which there may be many. */
export function jobSummary(record: ExportRecord, shown: ShownStatus) {
  const { id, state, kind, created, started, finished, expires, progress, error } = record;
  return {
    id,
    state,
    kind,
    created,
    started,
    finished,
    expires,
    progress: { ...progress, percent: state === 'completed' ? 100 : progress.percent },
    log: logUrl(record),
    error: error === null ? null : { ...error, status: shown(error.status) },
  };
}
