import { type Connection, sql } from '@holdfast/pg-kit';
import { shownPath } from '../naming/canonical-path.js';
import type { FoundJob } from './job-record.js';

/** How long jobs live (docs/configuration.md). */
export interface JobAges {
  readonly idleHours: number;
  readonly maxAgeHours: number;
}

const HOUR = 3_600_000;

/** The status of a job as clients see it (spec/objectstore.md 10.3), with what has arrived so that a client can resume. */
export async function jobDocument(
  connection: Connection,
  { place, job }: FoundJob,
  prefix: string,
  ages: JobAges,
): Promise<Readonly<Record<string, unknown>>> {
  const received = await connection.query<{ first: number; last: number; bytes: number }>(
    sql`select min(n)::float8 as first, max(n)::float8 as last, sum(bytes)::float8 as bytes
        from (select n, bytes, n - row_number() over (order by n) as island from os_chunk where job_id = ${job.id}) as numbered
        group by island order by 1`,
  );
  const target = shownPath(prefix, place.path);
  const expires = Math.min(
    job.touched.getTime() + ages.idleHours * HOUR,
    job.created.getTime() + ages.maxAgeHours * HOUR,
  );
  return {
    url: `${target};upload/${job.job}`,
    target,
    owner: job.owner,
    'chunk-length': job.chunkLength,
    'content-length': job.contentLength,
    ...(job.contentType === null ? {} : { 'content-type': job.contentType }),
    ...(job.md5 === null ? {} : { 'content-md5': job.md5.toString('base64') }),
    ...(job.sha256 === null ? {} : { 'content-sha256': job.sha256.toString('base64') }),
    ...(job.disposition === null ? {} : { 'content-disposition': job.disposition }),
    created: job.created.toISOString(),
    expires: new Date(expires).toISOString(),
    state: job.state,
    received: received.map(({ first, last }) => [first, last]),
    'received-bytes': received.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
