import { type Connection, join, sql } from '@holdfast/pg-kit';
import type { ExportOutput } from './export-record.js';

/** Writes what an export made, in its order. */
export async function insertOutputs(
  connection: Connection,
  id: string,
  outputs: readonly ExportOutput[],
): Promise<void> {
  if (outputs.length === 0) return;
  const rows = outputs.map(
    (output, index) =>
      sql`(${id}, ${index}, ${output.path}, ${output.versionPath}, ${output.bytes}, ${output.contentType},
           ${output.md5}, ${output.sha256})`,
  );
  // 8 parameters a row, 65,535 in a statement
  for (let at = 0; at < rows.length; at += 5_000) {
    await connection.execute(
      sql`insert into ex_output (export_id, ordinal, path, object_version_url, bytes, content_type, md5, sha256)
          values ${join(rows.slice(at, at + 5_000))}`,
    );
  }
}

/** What an export made, in its order. */
export async function readOutputs(connection: Connection, id: string): Promise<readonly ExportOutput[]> {
  const rows = await connection.query<{
    path: string;
    object_version_url: string;
    bytes: string;
    content_type: string;
    md5: string;
    sha256: string;
  }>(
    sql`select path, object_version_url, bytes, content_type, md5, sha256 from ex_output
        where export_id = ${id} order by ordinal`,
  );
  return rows.map(({ path, object_version_url, bytes, content_type, md5, sha256 }) => ({
    path,
    versionPath: object_version_url,
    bytes: Number(bytes),
    contentType: content_type,
    md5,
    sha256,
  }));
}
