import { MODES_OF_KIND, type Mode, type ModeLists } from '@holdfast/acl';
import { identifier, join, type Sql, sql } from '@holdfast/pg-kit';
import { parseBlobKey } from '../naming/blob-key.js';
import { storedPath } from '../naming/canonical-path.js';
import type { ContentPlace, KnownHash, NameRecord, RowId, VersionRecord } from './records.js';

/** All modes a name can have: those of namespaces and those of objects. */
const NAME_MODES: readonly Mode[] = [...new Set([...MODES_OF_KIND.namespace, ...MODES_OF_KIND.object])];

/** The column that holds a list: `subtree-read` is in `acl_subtree_read`. */
export function listColumn(mode: string): string {
  return `acl_${mode.replaceAll('-', '_')}`;
}

/** Columns of {@link NameRow}; `n` is `os_name`. */
export const nameColumns: Sql = sql`n.id, n.ancestors::text[] as ancestors, n.path, n.kind, n.deleted_at is not null as deleted, ${join(
  NAME_MODES.map((mode) => identifier('n', listColumn(mode))),
)}`;

export interface NameRow extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly ancestors: readonly string[];
  readonly path: string;
  readonly kind: 'namespace' | 'object';
  readonly deleted: boolean;
}

/** A row of {@link nameColumns} as a record. */
export function nameOf(row: NameRow): NameRecord {
  return {
    id: rowId<'name'>(row.id),
    ancestors: row.ancestors.map((id) => rowId<'name'>(id)),
    path: storedPath(row.path),
    kind: row.kind,
    deleted: row.deleted,
    lists: listsOf(row, MODES_OF_KIND[row.kind]),
  };
}

/** Columns of {@link VersionRow}; `v` is `os_version`, `b` its `os_blob`, which a forwarded version does not have. */
export const versionColumns: Sql = sql`v.id, v.name_id, v.version, v.bytes::float8 as bytes, v.content_type, v.disposition,
  v.md5, v.sha256, v.md5_declared, v.sha256_declared, b.key as blob_key, v.forward_to,
  v.renamed_from is not null as renamed, v.acl_owner, v.acl_read`;

export interface VersionRow extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly name_id: string;
  readonly version: string;
  readonly bytes: number;
  readonly content_type: string | null;
  readonly disposition: string | null;
  readonly md5: Buffer | null;
  readonly sha256: Buffer | null;
  readonly md5_declared: boolean;
  readonly sha256_declared: boolean;
  readonly blob_key: string | null;
  readonly forward_to: string | null;
  readonly renamed: boolean;
}

/** A row of {@link versionColumns} as a record. */
export function versionOf(row: VersionRow): VersionRecord {
  return {
    id: rowId<'version'>(row.id),
    nameId: rowId<'name'>(row.name_id),
    version: row.version,
    bytes: row.bytes,
    contentType: row.content_type,
    disposition: row.disposition,
    md5: hashOf(row.md5, row.md5_declared),
    sha256: hashOf(row.sha256, row.sha256_declared),
    content: contentPlaceOf(row),
    renamed: row.renamed,
    lists: listsOf(row, MODES_OF_KIND.version),
  };
}

function contentPlaceOf(row: VersionRow): ContentPlace {
  if (row.forward_to !== null) return { kind: 'forwarded', to: rowId<'version'>(row.forward_to) };
  return { kind: 'here', key: parseBlobKey(row.blob_key ?? '') };
}

/** A hash of a row, and who gave it. */
export function hashOf(value: Buffer | null, declared: boolean): KnownHash | null {
  return value === null ? null : { value, declared };
}

function listsOf(row: Readonly<Record<string, unknown>>, modes: readonly Mode[]): ModeLists {
  // the columns are text[] not null
  return Object.fromEntries(modes.map((mode) => [mode, row[listColumn(mode)] as readonly string[]]));
}

function rowId<Table extends string>(text: string): RowId<Table> {
  return text as RowId<Table>;
}
