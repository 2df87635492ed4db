import { AppError } from '@holdfast/http-kit';
import { type Connection, identifier, join, nothing, type Sql, sql, trusted } from '@holdfast/pg-kit';
import { type ColumnType, columnType, scalarOf } from '../model/column-types.js';
import { systemColumnOf } from '../model/model.js';
import { recordAmendment } from './amend.js';
import type { Change } from './change.js';
import { boundText, type GivenRange, historyRange } from './history-range.js';
import { historyRelation } from './row-storage.js';

/** Which values are to be erased. */
export interface Redaction {
  /** RID of the column, which may be gone by now. */
  readonly column: string;
  /** Only in rows whose value in another column is this one; null for all rows. */
  readonly filter: RedactionFilter | null;
}

export interface RedactionFilter {
  readonly column: string;
  /** Text of the value as PostgreSQL's input of a type takes it; null for NULL. */
  textFor(type: ColumnType): string | null;
}

/**
 * Erases the values of a column in dead row versions that began and ended within a range (spec/catalog-access.md 10.4).
 * @returns how many row versions there were
 * @throws {AppError} `not_found`, `conflict`, `bad_value`
 */
export async function redact(
  connection: Connection,
  change: Change,
  range: GivenRange,
  { column, filter }: Redaction,
): Promise<number> {
  const { first, last } = await historyRange(connection, range);
  const target = await findColumn(connection, column);
  if (target.storages.some(({ stored }) => kept.has(systemColumnOf(stored) ?? '')))
    throw new AppError('conflict', 'RID, RCT, RMT and RMB cannot be erased: history would not hold together.');
  const matches = filter === null ? sql`true` : await matchSql(connection, target, filter);
  const relation = identifier('_catalog', historyRelation({ rid: target.table }));
  const erased = join(target.storages.map(({ stored }) => sql`${identifier(stored)} = null`));
  const count = await connection.execute(
    sql`update ${relation} h set ${erased}
         where h.lo >= ${boundText(range.from, '-infinity')}::timestamptz
           and h.hi <= least(${boundText(range.to, 'infinity')}::timestamptz, _catalog.at_micros(${last}::bigint))
           and (${matches})`,
  );
  if (count > 0) await recordAmendment(connection, change, { lo: first, hi: last, kind: 'redaction', subject: column });
  return count;
}

const kept: ReadonlySet<string> = new Set(['RID', 'RCT', 'RMT', 'RMB']);

/** A column that is or was there. */
export interface HistoryColumn {
  /** RID of its table. */
  readonly table: string;
  /** Where the history of the table has its values. */
  readonly storages: readonly ColumnStorage[];
}

/** Where values of a column stand. */
export interface ColumnStorage {
  readonly stored: string;
  /** Canonical name of the type. */
  readonly type: string;
  /** As PostgreSQL declares it. */
  readonly declared: string;
  /** The column held its values here from then until then. */
  readonly lo: string;
  readonly hi: string;
}

/**
 * Finds where the history of a table has the values of a column.
 * @throws {AppError} `not_found`, `conflict`
 */
export async function findColumn(connection: Connection, rid: string): Promise<HistoryColumn> {
  const rows = await connection.query<ColumnStorage & { readonly parent: string }>(
    sql`select c.parent, c.stored, c.type, _catalog.declared_type(a.atttypid) as declared, c.lo::text, c.hi::text
          from (select parent, _catalog.history_column(rid, doc) as stored, doc->>'type' as type, min(lo) as lo, max(hi) as hi
                  from _catalog.elem where rid = ${rid} and kind = 'column' group by 1, 2, 3) c
          left join pg_attribute a on a.attrelid = to_regclass(format('_catalog.%I', 'h_' || c.parent))
           and a.attname = c.stored and not a.attisdropped`,
  );
  const [row] = rows;
  if (row === undefined)
    throw new AppError('not_found', `No column of the model has or had the RID ${JSON.stringify(rid.slice(0, 100))}.`);
  const storages = rows.filter(({ declared }) => declared !== null);
  if (storages.length === 0) throw new AppError('conflict', 'The history of this table was never captured.');
  return { table: row.parent, storages };
}

/** Each row is compared where its value stood when it died. */
async function matchSql(connection: Connection, { table }: HistoryColumn, filter: RedactionFilter): Promise<Sql> {
  const column = await findColumn(connection, filter.column);
  if (column.table !== table) throw new AppError('conflict', 'The column to filter by belongs to another table.');
  const tests: Sql[] = [];
  for (const storage of column.storages) {
    const test = await equality(connection, storage, filter);
    const lived = sql`h.hi > ${storage.lo}::timestamptz and h.hi <= ${storage.hi}::timestamptz`;
    if (test !== null) tests.push(systemColumnOf(storage.stored) === null ? sql`(${lived} and ${test})` : test);
  }
  if (tests.length === 0) throw new AppError('bad_value', 'The value to filter by is none of the type of its column.');
  return join(tests, ' or ');
}

/** Null when the value is none of the type: then no row can have it. */
async function equality(connection: Connection, storage: ColumnStorage, filter: RedactionFilter): Promise<Sql | null> {
  const type = columnType(storage.type);
  if (type === null) return null;
  const text = filter.textFor(type);
  const value = sql`h.${identifier(storage.stored)}`;
  const stored = scalarOf(type).storage;
  // clients see the null of JSON as null, too
  const orNull =
    type.kind === 'scalar' && (stored === 'json' || stored === 'jsonb') ? sql` or ${value}::jsonb = 'null'` : nothing;
  if (text === null) return sql`(${value} is null${orNull})`;
  const constant = sql`${text}::text::${trusted(storage.declared)}`;
  if (!(await isValue(connection, constant))) return null;
  if (stored !== 'json') return sql`${value} = ${constant}`;
  const comparable = trusted(type.kind === 'array' ? 'jsonb[]' : 'jsonb');
  return sql`${value}::${comparable} = ${constant}::${comparable}`;
}

async function isValue(connection: Connection, constant: Sql): Promise<boolean> {
  await connection.execute(sql`savepoint reading`);
  try {
    await connection.query(sql`select ${constant}`);
    await connection.execute(sql`release savepoint reading`);
    return true;
  } catch {
    await connection.execute(sql`rollback to savepoint reading`);
    return false;
  }
}
