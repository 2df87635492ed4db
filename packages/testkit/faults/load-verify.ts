import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Call, insisting } from './load-client.js';
import { batchRows, type Place, sha256 } from './load-work.js';

/** What was acknowledged. */
export interface Acknowledged {
  readonly batches: readonly number[];
  /** Hash by path. */
  readonly objects: ReadonlyMap<string, string>;
  /** Paths of jobs. */
  readonly exports: readonly string[];
}

/**
 * Compares it with what is there: sentences about what is missing or wrong.
 * @param excused code with which accepted exports may have failed
 */
export async function verifyAll(
  call: Call,
  place: Place,
  { batches, objects, exports }: Acknowledged,
  excused: string | undefined,
): Promise<readonly string[]> {
  return [
    ...(await verifyBatches(call, place, batches)),
    ...(await verifyObjects(call, objects)),
    ...(await verifyExports(call, exports, excused)),
  ];
}

async function verifyBatches(call: Call, place: Place, batches: readonly number[]): Promise<readonly string[]> {
  const path = `${place.catalog}/attributegroup/load:reading/batch;rows:=cnt(*)`;
  const { bytes } = await call('GET', path, [200], { headers: { accept: 'application/json' } });
  const rows = z.array(z.object({ batch: z.number(), rows: z.number() })).parse(JSON.parse(bytes.toString()));
  const found = new Map(rows.map(({ batch, rows: count }) => [batch, count]));
  return [
    ...batches.filter((batch) => !found.has(batch)).map((batch) => `batch ${batch} was acknowledged and is lost`),
    ...rows.filter(({ rows: count }) => count !== batchRows).map(({ batch }) => `batch ${batch} is there by half`),
  ];
}

async function verifyObjects(call: Call, objects: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [path, hash] of objects) {
    const { bytes } = await call('GET', path, [200]);
    if (sha256(bytes) !== hash) faults.push(`${path} has other bytes than were stored`);
  }
  return faults;
}

const exportStatus = z.looseObject({
  state: z.string(),
  error: z.looseObject({ code: z.string() }).nullish(),
  results: z.array(z.looseObject({ url: z.string() })).default([]),
});

/** Every export that was accepted is completed, and its rows are whole batches. */
async function verifyExports(
  call: Call,
  jobs: readonly string[],
  excused: string | undefined,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const job of jobs) {
    const status = await finalStatus(call, job);
    const [result] = status.results;
    if (excused !== undefined && status.state === 'failed' && status.error?.code === excused) continue;
    if (status.state !== 'completed' || result === undefined) {
      faults.push(`${job} was accepted and ended as ${JSON.stringify(status).slice(0, 400)}`);
      continue;
    }
    const { bytes } = await call('GET', new URL(result.url).pathname, [200]);
    const rows = bytes.toString().trimEnd().split('\n').length - 1;
    if (rows % batchRows !== 0) faults.push(`${job} exported ${rows} rows, which are no whole batches`);
  }
  return faults;
}

async function finalStatus(call: Call, job: string): Promise<z.output<typeof exportStatus>> {
  for (;;) {
    const { bytes } = await insisting(() => call('GET', job, [200]));
    const status = exportStatus.parse(JSON.parse(bytes.toString()));
    if (!['queued', 'running'].includes(status.state)) return status;
    await sleep(200);
  }
}
