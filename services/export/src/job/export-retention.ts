import { type Connection, sql, trusted } from '@holdfast/pg-kit';

/** An export past its time. */
export interface ExpiredExport {
  readonly id: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
}

/** An export that is over, with the versions that belong to it. */
export interface UncleanExport extends ExpiredExport {
  readonly state: 'completed' | 'failed' | 'cancelled';
}

/** Day in the names of an export's objects. */
const DAY = `to_char(created at time zone 'UTC', 'YYYY-MM-DD')`;

/** No run is at work any more: one that was cancelled keeps its lease until it has ended. */
const HAS_ENDED = '(lease_until is null or lease_until < now())';

/**
 * Nor can anything of it arrive at the store any more: what a run was sending when it was broken off may become an object after the run has
 * ended, and is looked for some time later.
 */
export const IS_SETTLED = `(${HAS_ENDED} and (cleaned is not null or attempt = 0 or state = 'completed'))`;

/** Exports that may have stored more than their results; what was completed at the first try has not. */
export async function takeUncleaned(
  connection: Connection,
  limit: number,
  afterSeconds: number,
): Promise<readonly UncleanExport[]> {
  return connection.query<UncleanExport>(
    sql`update ex_export set cleaned = now() where id in (
          select id from ex_export
          where cleaned is null and ${trusted(HAS_ENDED)} and finished < now() - make_interval(secs => ${afterSeconds})
            and (attempt > 1 or (attempt > 0 and state in ('failed', 'cancelled')))
          order by finished limit ${limit} for update skip locked)
        returning id, state, ${trusted(DAY)} as day`,
  );
}

/** Exports past their time. */
export function expiredExports(connection: Connection, limit: number): Promise<readonly ExpiredExport[]> {
  return connection.query<ExpiredExport>(
    sql`select id, ${trusted(DAY)} as day from ex_export where expires < now() and ${trusted(IS_SETTLED)} order by expires limit ${limit}`,
  );
}

/** Days of which there are exports. */
export async function daysOfExports(connection: Connection): Promise<readonly string[]> {
  const rows = await connection.query<{ day: string }>(sql`select distinct ${trusted(DAY)} as day from ex_export`);
  return rows.map(({ day }) => day);
}
