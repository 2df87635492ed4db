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

/** The status document (spec/export.md 10.2). */
export function statusDocument(record: ExportRecord, outputs: readonly ExportOutput[]): object {
  const { error, log, ...summary } = jobSummary(record);
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
export function jobSummary(record: ExportRecord) {
  const { id, state, kind, created, started, finished, expires, progress, error } = record;
  return {
    id,
    state,
    kind,
    created,
    started,
    finished,
    expires,
    // how much there will be is not known before the end
    progress: { ...progress, percent: state === 'completed' ? 100 : null },
    log: logUrl(record),
    error,
  };
}
