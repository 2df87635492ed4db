import { type Connection, sql } from '@holdfast/pg-kit';
import type { ExportKind, ExportRequest } from '../request/export-request.js';
import { initialProgress } from './export-record.js';

/** An export that is to be. */
export interface NewExport {
  readonly id: string;
  readonly owner: string | null;
  readonly ownerName: string | null;
  readonly readers: readonly string[];
  readonly kind: ExportKind;
  readonly request: ExportRequest;
  readonly exportUrl: string;
  /** Null: the caller is anonymous. */
  readonly credential: SealedCredential | null;
  /** Whose turn it takes: the owner's id, or the address of an anonymous client. */
  readonly share: string;
  /** Nobody waits: it goes on whoever comes and goes. */
  readonly detached: boolean;
  /** Null: the caller sent no key, or is anonymous. */
  readonly idempotency: { readonly key: string; readonly digest: string } | null;
}

/** How much of the service one user may have (spec/export.md 1). */
export interface ShareLimits {
  /** Exports of one user in the queue or at work. */
  readonly concurrent: number;
  /** Exports of one user that wait for that. */
  readonly queued: number;
  /** Finished exports that one user keeps; 0: no limit. */
  readonly results: number;
}

/** What became of a new export. */
export type Creation =
  /** `admitted`: it belongs into the queue now; otherwise it waits for earlier ones of its user. */
  | { readonly kind: 'created'; readonly admitted: boolean }
  /** The same user sent the same key and request before. */
  | { readonly kind: 'repeated'; readonly id: string }
  | { readonly kind: 'key_in_use' }
  | { readonly kind: 'too_many' };

/** The caller's credential as it lies in the database. */
export interface SealedCredential {
  readonly keyId: string;
  readonly sealed: string;
  readonly expires: Date;
}

/** Which run of an export a worker speaks for; one that was given up for dead must lose. */
export interface Attempt {
  readonly id: string;
  readonly attempt: number;
}

/** All changes of whose turn it is happen one after another; none of them takes longer than a few statements. */
const TURNS_LOCK = sql`select pg_advisory_xact_lock(hashtext('ex_export turns'))`;

/** Writes a new export with its credential, unless its user has too many or sent it before. */
export async function insertExport(connection: Connection, made: NewExport, limits: ShareLimits): Promise<Creation> {
  const { id, credential, share, idempotency } = made;
  await connection.query(TURNS_LOCK);
  if (idempotency !== null) {
    const earlier = await findRepeated(connection, share, idempotency.key);
    if (earlier !== null) {
      return earlier.digest === idempotency.digest ? { kind: 'repeated', id: earlier.id } : { kind: 'key_in_use' };
    }
  }
  const { taken, unfinished } = await countOf(connection, share);
  if (unfinished >= limits.concurrent + limits.queued) return { kind: 'too_many' };
  const admitted = taken < limits.concurrent;
  const progress = JSON.stringify(initialProgress(made.request.queries.length));
  const turn = admitted ? sql`now(), now()` : sql`null, null`;
  await connection.execute(
    sql`insert into ex_export (id, owner, owner_name, readers, kind, state, request, export_url, progress, share,
                               idempotency_key, request_digest, watched_until, admitted, enqueued)
        values (${id}, ${made.owner}, ${made.ownerName}, ${made.readers}, ${made.kind}, 'queued',
                ${JSON.stringify(made.request)}::jsonb, ${made.exportUrl}, ${progress}::jsonb, ${share},
                ${idempotency?.key ?? null}, ${idempotency?.digest ?? null},
                ${made.detached ? 'infinity' : null}, ${turn})`,
  );
  if (limits.results > 0) await expireBeyond(connection, share, limits.results);
  if (credential !== null) {
    await connection.execute(
      sql`insert into ex_credential (export_id, key_id, sealed, expires)
          values (${id}, ${credential.keyId}, ${credential.sealed}, ${credential.expires.toISOString()})`,
    );
  }
  return { kind: 'created', admitted };
}

/** The export that a key stands for; one past its time gives the key free. */
async function findRepeated(
  connection: Connection,
  share: string,
  key: string,
): Promise<{ readonly id: string; readonly digest: string } | null> {
  await connection.execute(
    sql`update ex_export set idempotency_key = null
        where share = ${share} and idempotency_key = ${key} and expires < now()`,
  );
  const [row] = await connection.query<{ id: string; digest: string }>(
    sql`select id, request_digest as digest from ex_export where share = ${share} and idempotency_key = ${key}`,
  );
  return row ?? null;
}

async function countOf(
  connection: Connection,
  share: string,
): Promise<{ readonly taken: number; readonly unfinished: number }> {
  const [row] = await connection.query<{ taken: number; unfinished: number }>(
    sql`select count(*) filter (where admitted is not null)::int as taken, count(*)::int as unfinished
        from ex_export where share = ${share} and state in ('queued', 'running')`,
  );
  return row ?? { taken: 0, unfinished: 0 };
}

/** The oldest results of a user beyond those they may keep are past their time at once. */
async function expireBeyond(connection: Connection, share: string, results: number): Promise<void> {
  await connection.execute(
    sql`update ex_export set expires = now() where id in (
          select id from ex_export where share = ${share} and finished is not null and expires > now()
          order by created desc offset ${results})`,
  );
}

/** Gives the next of each user their turn. */
export async function admitWaiting(connection: Connection, concurrent: number): Promise<readonly Attempt[]> {
  await connection.query(TURNS_LOCK);
  return connection.query<Attempt>(
    sql`with unfinished as (
          select id, share, admitted,
                 count(admitted) over (partition by share) as taken,
                 row_number() over (partition by share, admitted is null order by created, id) as place
          from ex_export where state in ('queued', 'running')
        )
        update ex_export set admitted = now(), enqueued = now() from unfinished
        where unfinished.id = ex_export.id and unfinished.admitted is null and taken + place <= ${concurrent}
        returning ex_export.id, ex_export.attempt`,
  );
}
