import { AppError } from '@holdfast/http-kit';
import { type Connection, type Sql, sql } from '@holdfast/pg-kit';
import { CATALOG_RID } from '../model/element-rows.js';
import { amendedVersions, type ConfigurationVersion, type Lifetime } from './amended-versions.js';
import type { Change } from './change.js';
import { type GivenRange, historyRange } from './history-range.js';

/** Whose configuration is amended: an element that is or was there. */
export interface AmendedElement {
  readonly rid: string;
  readonly kind: 'catalog' | 'schema' | 'table' | 'column' | 'key' | 'foreign_key';
  readonly parent: string;
  readonly lifetime: Lifetime;
}

/** A document of the bookkeeping. */
export type StoredDocument = Readonly<Record<string, unknown>>;

/**
 * Finds an element among those there were.
 * @param rid null for the catalog
 * @throws {AppError} `not_found`
 */
export async function findAmended(connection: Connection, rid: string | null): Promise<AmendedElement> {
  if (rid === null || rid === CATALOG_RID)
    return { rid: CATALOG_RID, kind: 'catalog', parent: CATALOG_RID, lifetime: { lo: 0n, hi: null } };
  const [row] = await connection.query<ElementRow>(
    sql`select kind, (array_agg(parent order by lo desc))[1] as parent, _catalog.micros(min(lo))::text as lo,
               ${microsOrNull(sql`max(hi)`)} as hi
          from _catalog.elem
         where rid = ${rid} and kind in ('schema', 'table', 'column', 'key', 'foreign_key') group by kind`,
  );
  if (row === undefined)
    throw new AppError('not_found', `No element of the model has or had the RID ${JSON.stringify(rid.slice(0, 100))}.`);
  const { kind, parent, lo, hi } = row;
  return { rid, kind, parent, lifetime: { lo: BigInt(lo), hi: hi === null ? null : BigInt(hi) } };
}

interface ElementRow {
  readonly kind: Exclude<AmendedElement['kind'], 'catalog'>;
  readonly parent: string;
  readonly lo: string;
  readonly hi: string | null;
}

/** What is amended, and how. */
export interface Amendment {
  readonly element: AmendedElement;
  readonly configuration: 'acl' | 'binding' | 'annotation';
  /** The document that is to have held, made of the one that did; null for none. */
  replacement(before: StoredDocument | null): StoredDocument | null;
}

/**
 * Overwrites a configuration of an element in every snapshot that begins and ends within a range (spec/catalog-access.md 10.3); the live
 * one has no end.
 */
export async function amend(
  connection: Connection,
  change: Change,
  range: GivenRange,
  { element, configuration, replacement }: Amendment,
): Promise<void> {
  const { first, last } = await historyRange(connection, range);
  // the last one ends after the range
  if (first === last) return;
  const { rid, parent } = element;
  const span = { lo: first, hi: last };
  const which = sql`rid = ${rid} and kind = ${configuration}
    and lo < _catalog.at_micros(${last}::bigint) and hi > _catalog.at_micros(${first}::bigint)`;
  const rows = await connection.query<VersionRow>(
    sql`select _catalog.micros(lo)::text as lo, ${microsOrNull(sql`hi`)} as hi, doc from _catalog.elem where ${which}`,
  );
  const versions = rows.map(({ lo, hi, doc }) => ({ lo: BigInt(lo), hi: hi === null ? null : BigInt(hi), doc }));
  const amended = amendedVersions(versions, element.lifetime, span, replacement);
  await connection.execute(sql`delete from _catalog.elem where ${which}`);
  await insertVersions(connection, { rid, kind: configuration, parent }, amended);
  await recordAmendment(connection, change, { ...span, kind: configuration, subject: rid });
}

interface VersionRow {
  readonly lo: string;
  readonly hi: string | null;
  readonly doc: StoredDocument;
}

async function insertVersions(
  connection: Connection,
  { rid, kind, parent }: { readonly rid: string; readonly kind: string; readonly parent: string },
  versions: readonly ConfigurationVersion<StoredDocument>[],
): Promise<void> {
  const rows = versions.map(({ lo, hi, doc }) => ({ lo: String(lo), hi: hi === null ? null : String(hi), doc }));
  await connection.execute(
    sql`insert into _catalog.elem (rid, kind, parent, lo, hi, doc)
          select ${rid}, ${kind}, ${parent}, _catalog.at_micros(lo), coalesce(_catalog.at_micros(hi), 'infinity'), doc
            from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (lo bigint, hi bigint, doc jsonb)`,
  );
}

/** Notes what was done to history, and which snapshots it touched: from `lo` until before `hi`, in microseconds; null: all before. */
export async function recordAmendment(
  connection: Connection,
  change: Change,
  amendment: {
    readonly lo: bigint | null;
    readonly hi: bigint;
    readonly kind: string;
    readonly subject: string | null;
  },
): Promise<void> {
  const { lo, hi, kind, subject } = amendment;
  await connection.execute(
    sql`insert into _catalog.amend (ts, lo, hi, kind, subject)
        values (${change.ts}::timestamptz, coalesce(_catalog.at_micros(${lo}::bigint), '-infinity'),
                _catalog.at_micros(${hi}::bigint), ${kind}, ${subject})`,
  );
}

function microsOrNull(instant: Sql): Sql {
  return sql`case when ${instant} < 'infinity' then _catalog.micros(${instant})::text end`;
}
