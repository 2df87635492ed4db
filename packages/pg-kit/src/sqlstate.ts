import { AppError, type ErrorCode } from '@holdfast/http-kit';
import pg from 'pg';

/**
 * What the database was doing. `literals`: it converted text of the client (URL literals, input rows), so data errors are the
 * client's bad request; `work`: everything else.
 */
export type SqlPhase = 'literals' | 'work';

interface SqlStateRow {
  /** Prefix of the SQLSTATE. */
  readonly state: string;
  readonly code: ErrorCode | { readonly literals: ErrorCode; readonly work: ErrorCode };
  /** What the client reads; null: PostgreSQL's own message, which names only things of the model. */
  readonly detail: string | null;
}

const AWAY = 'The database cannot be reached or has no room at the moment; try again.';

/** SQLSTATE to error (spec/catalog-data.md 9.4), the longest prefix first. */
const table: readonly SqlStateRow[] = [
  { state: '23', code: 'constraint_violation', detail: null },
  { state: '22', code: { literals: 'bad_value', work: 'conflict' }, detail: null },
  { state: '2201B', code: 'bad_value', detail: null },
  {
    state: '2201G',
    code: 'bad_value',
    detail: 'The bounds of bin must be finite, and the lower bound less than the upper bound.',
  },
  { state: '42501', code: 'forbidden', detail: 'The service itself lacks a right in the database; tell its operator.' },
  { state: '42601', code: 'internal', detail: 'The service made a statement that the database does not understand.' },
  { state: '42', code: 'not_supported_on_type', detail: null },
  { state: '40', code: 'unavailable', detail: 'The change collided with others again and again; try again.' },
  { state: '55P03', code: 'unavailable', detail: 'A lock was not to be had in time; try again.' },
  { state: '3D000', code: 'not_found', detail: 'The catalog is gone.' },
  {
    state: '57014',
    code: 'query_too_expensive',
    detail:
      'Query run time limit exceeded. Narrow the question: add filters, or fetch in pages with @sort, @after and limit.',
  },
  {
    state: '54011',
    code: 'bad_request',
    detail: 'A table may have 1,600 columns at most, those once dropped included; divide it.',
  },
  { state: '54', code: 'bad_request', detail: 'The request is beyond a limit of the database; split it.' },
  {
    state: '53200',
    code: 'unavailable',
    detail: 'The database ran out of room for locks or memory; split the request.',
  },
  { state: '08', code: 'unavailable', detail: AWAY },
  { state: '53', code: 'unavailable', detail: AWAY },
  { state: '57P0', code: 'unavailable', detail: AWAY },
  {
    state: 'XX',
    code: 'unavailable',
    detail: 'The database failed at it; try again, and tell the operator if it fails again.',
  },
];

/**
 * Turns an error of the driver into one of the closed set; other errors pass unchanged.
 * @param phase what the statement was doing
 */
export function fromDatabase(error: unknown, phase: SqlPhase = 'work'): unknown {
  if (error instanceof AppError) return error;
  if (isConnectionLoss(error)) return new AppError('unavailable', AWAY, { cause: error });
  if (!(error instanceof pg.DatabaseError)) return error;
  const state = error.code ?? '';
  const row = [...table]
    .filter((candidate) => state.startsWith(candidate.state))
    .sort((a, b) => b.state.length - a.state.length)[0];
  if (row === undefined) return new AppError('conflict', 'The database refused the request.', { cause: error });
  const code = typeof row.code === 'string' ? row.code : row.code[phase];
  return new AppError(code, row.detail ?? messageOf(error), { cause: error });
}

/** PostgreSQL's sentence, with its detail where clients read keys from it (9.3); never the dump of a failing row. */
function messageOf(error: pg.DatabaseError): string {
  const keyDetail = error.detail?.startsWith('Key (') === true ? `\nDETAIL:  ${error.detail}` : '';
  return `${shortened(error.message)}${keyDetail}`;
}

/** A sentence quotes the value it is about, however long that is: its beginning and the end of the sentence tell enough. */
function shortened(message: string): string {
  return message.length <= 500 ? message : `${message.slice(0, 200)}…${message.slice(-100)}`;
}

/** SQLSTATE of a driver error, or null. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null;
}

/** Whether trying again may help: serialization failure or deadlock, in the system tables of PostgreSQL, too. */
export function isSerializationFailure(error: unknown): boolean {
  return sqlStateOf(error)?.startsWith('40') === true || isSystemCollision(error);
}

/**
 * Two changed the same row of PostgreSQL's system tables, or one read what the other removed: the build of an index that ends, and what
 * drops the index. There is no SQLSTATE for it.
 */
export function isSystemCollision(error: unknown): boolean {
  return sqlStateOf(error) === 'XX000' && error instanceof Error && SYSTEM_COLLISION.test(error.message);
}

const SYSTEM_COLLISION =
  /^(tuple concurrently (updated|deleted)$|cache lookup failed for |could not open relation with OID )/;

const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH']);

/** Whether the connection itself failed, so that nothing can be said about the statement. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof pg.DatabaseError) return /^(08|57P0[123])/.test(error.code ?? '');
  if ('code' in error && typeof error.code === 'string' && NETWORK_CODES.has(error.code)) return true;
  return /Connection terminated|Client has encountered a connection error|timeout expired/.test(error.message);
}
