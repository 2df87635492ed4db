import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';

/** What one request of the load came to. */
export type Outcome =
  | { readonly kind: 'done' }
  /** 503 with Retry-After: nothing was done, try again. */
  | { readonly kind: 'away' }
  /** The connection broke; what was asked may have been done. */
  | { readonly kind: 'cut'; readonly reason: string }
  | { readonly kind: 'failed'; readonly what: string };

/** Clients of all kinds at work, who remember what was acknowledged. */
export interface MixedLoad {
  /** Outcomes so far by kind of work: `read`, `write`, `object`, `upload`, `export`. */
  counts(): Readonly<Record<string, Readonly<Record<Outcome['kind'], number>>>>;
  /** What must never happen, one sentence each. */
  failures(): readonly string[];
  /** Reasons of broken connections, for the report. */
  cuts(): readonly string[];
  /** Resolves when work of every kind has been done once more. */
  everythingWorks(): Promise<void>;
  /** No new work; waits for what runs. */
  stop(): Promise<void>;
  /**
   * Compares all that was acknowledged with what is there: sentences about what is missing or wrong.
   * @param excused code with which accepted exports may have failed, because their client was told to come again
   */
  verify(excused?: string): Promise<readonly string[]>;
}

const kinds = ['read', 'write', 'object', 'upload', 'export'] as const;
type Kind = (typeof kinds)[number];

const batchRows = 40;

/** Thrown by a piece of work that saw what a client may see while a part is away. */
class Away extends Error {}
/** Thrown when an answer is wrong. */
class Wrong extends Error {}

/** Makes a catalog and a namespace as alice, then works in them until it is stopped. */
export async function startMixedLoad(url: string): Promise<MixedLoad> {
  const agent = new Agent({ connections: 32, pipelining: 1 });
  const call = caller(url, agent);
  const place = await prepare(call);
  const counts = Object.fromEntries(kinds.map((kind) => [kind, { done: 0, away: 0, cut: 0, failed: 0 }]));
  const failures: string[] = [];
  const cuts: string[] = [];
  const stopping = new AbortController();
  const kept = { batches: [] as number[], objects: new Map<string, string>(), exports: [] as string[] };
  const work: Readonly<Record<Kind, (turn: number) => Promise<void>>> = {
    read: () => read(call, place),
    write: async (turn) => {
      await write(call, place, turn);
      kept.batches.push(turn);
    },
    object: async (turn) => {
      const [path, hash] = await putObject(call, place, turn);
      kept.objects.set(path, hash);
    },
    upload: async (turn) => {
      const [path, hash] = await uploadInChunks(call, place, turn);
      kept.objects.set(path, hash);
    },
    export: async () => {
      kept.exports.push(await startExport(call, url, place));
    },
  };
  const loops = kinds.map(async (kind) => {
    for (let turn = 1; !stopping.signal.aborted; turn += 1) {
      const outcome = await outcomeOf(() => work[kind](turn));
      const count = counts[kind];
      if (count !== undefined) count[outcome.kind] += 1;
      if (outcome.kind === 'failed') failures.push(`${kind} ${turn}: ${outcome.what}`);
      if (outcome.kind === 'cut') cuts.push(`${kind} ${turn}: ${outcome.reason}`);
      await sleep(outcome.kind === 'done' ? (kind === 'export' ? 400 : 10) : 100);
    }
  });
  return {
    counts: () => counts,
    failures: () => failures,
    cuts: () => cuts,
    everythingWorks: async () => {
      const before = kinds.map((kind) => counts[kind]?.done ?? 0);
      while (!kinds.every((kind, index) => (counts[kind]?.done ?? 0) > (before[index] ?? 0))) await sleep(50);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
    verify: async (excused) => {
      try {
        return [
          ...(await verifyBatches(call, place, kept.batches)),
          ...(await verifyObjects(call, kept.objects)),
          ...(await verifyExports(call, kept.exports, excused)),
        ];
      } finally {
        await agent.close();
      }
    },
  };
}

async function outcomeOf(work: () => Promise<void>): Promise<Outcome> {
  try {
    await work();
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof Away) return { kind: 'away' };
    if (error instanceof Wrong) return { kind: 'failed', what: error.message };
    return { kind: 'cut', reason: error instanceof Error ? `${error.name} ${error.message}` : String(error) };
  }
}

interface Place {
  readonly catalog: string;
  readonly catalogId: string;
  readonly namespace: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
type Call = (
  method: Method,
  path: string,
  expected: readonly number[],
  sent?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string | Buffer },
) => Promise<Reply>;

function caller(url: string, agent: Agent): Call {
  return async (method, path, expected, { headers = {}, body } = {}) => {
    const answer = await request(new URL(path, url), {
      dispatcher: agent,
      method,
      headers: { authorization: 'Bearer alice-token', ...headers },
      body: body ?? null,
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (expected.includes(answer.statusCode)) return { status: answer.statusCode, headers: answer.headers, bytes };
    if (answer.statusCode === 503 && answer.headers['retry-after'] !== undefined) throw new Away();
    throw new Wrong(`${method} ${path}: ${answer.statusCode} ${bytes.toString('utf8', 0, 400)}`);
  };
}

const csv = { 'content-type': 'text/csv' };
const json = { 'content-type': 'application/json' };

async function prepare(call: Call): Promise<Place> {
  const created = await call('POST', '/data/catalog', [201]);
  const { id: catalogId } = z.object({ id: z.string() }).parse(JSON.parse(created.bytes.toString()));
  const catalog = `/data/catalog/${catalogId}`;
  const table = {
    schema_name: 'load',
    table_name: 'reading',
    column_definitions: ['batch', 'number'].map((name) => ({ name, type: 'int4', nullok: false })),
    keys: [{ unique_columns: ['batch', 'number'] }],
  };
  await call('POST', `${catalog}/schema`, [200, 201], {
    headers: json,
    body: JSON.stringify([{ schema_name: 'load' }, table]),
  });
  const namespace = `/objects/load-${catalogId}`;
  await call('PUT', namespace, [201], { headers: { 'content-type': 'application/x-objstore-namespace' } });
  return { catalog, catalogId, namespace };
}

/** Whole batches, and no rows but those: a read sees no half of a change. */
async function read(call: Call, { catalog }: Place): Promise<void> {
  const path = `${catalog}/attributegroup/load:reading/batch;rows:=cnt(*)`;
  const { bytes } = await call('GET', path, [200], { headers: { accept: 'application/json' } });
  const rows = z.array(z.object({ batch: z.number(), rows: z.number() })).parse(JSON.parse(bytes.toString()));
  for (const { batch, rows: count } of rows)
    if (count !== batchRows) throw new Wrong(`batch ${batch} was read with ${count} rows`);
}

async function write(call: Call, { catalog }: Place, batch: number): Promise<void> {
  const rows = Array.from({ length: batchRows }, (_, number) => `${batch},${number}\n`).join('');
  await call('POST', `${catalog}/entity/load:reading`, [200], { headers: csv, body: `batch,number\n${rows}` });
}

const bytesType = { 'content-type': 'application/octet-stream' };

async function putObject(call: Call, { namespace }: Place, turn: number): Promise<readonly [string, string]> {
  const body = randomBytes(60_000 + turn);
  const path = `${namespace}/object-${turn}`;
  await call('PUT', path, [201], { headers: bytesType, body });
  const { bytes } = await call('GET', path, [200]);
  if (!bytes.equals(body)) throw new Wrong(`${path} was read with other bytes than were stored`);
  return [path, sha256(body)];
}

const chunk = 100_000;
const chunks = 6;

/** A client that resumes: after a refusal or a broken connection it goes on with the same chunk. */
async function uploadInChunks(call: Call, { namespace }: Place, turn: number): Promise<readonly [string, string]> {
  const body = randomBytes(chunk * (chunks - 1) + 1 + turn);
  const path = `${namespace}/upload-${turn}`;
  const sizes = { 'chunk-length': chunk, 'content-length': body.byteLength };
  const made = await call('POST', `${path};upload`, [201], { headers: json, body: JSON.stringify(sizes) });
  const job = made.bytes.toString().trim();
  for (let index = 0; index < chunks; index += 1) {
    const part = body.subarray(index * chunk, (index + 1) * chunk);
    await insisting(() => call('PUT', `${job}/${index}`, [204], { headers: bytesType, body: part }));
    await sleep(150);
  }
  await insisting(() => call('POST', job, [201]));
  const { bytes } = await insisting(() => call('GET', path, [200]));
  if (!bytes.equals(body)) throw new Wrong(`${path} was read with other bytes than were uploaded`);
  return [path, sha256(body)];
}

/** Seconds a client goes on after the first refusal. */
const patience = 120;

async function insisting<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const end = Date.now() + patience * 1_000; ; ) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Wrong || Date.now() > end) throw error;
      await sleep(200);
    }
  }
}

/** Hands an export over; gives the path of its job. */
async function startExport(call: Call, url: string, { catalogId }: Place): Promise<string> {
  const query = { processor: 'csv', processor_params: { query_path: '/entity/load:reading', output_path: 'reading' } };
  const { headers } = await call('POST', '/export/file', [202], {
    headers: { ...json, prefer: 'respond-async' },
    body: JSON.stringify({ catalog: { host: url, catalog_id: catalogId, query_processors: [query] } }),
  });
  return new URL(String(headers.location)).pathname;
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

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
