import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { csvRequest, withRows } from './support/requests.js';

const nothing = { credentials: 0, exports: 0, residues: 0, days: 0, scratch: 0 };

/** The command `sweep`, as a CronJob runs it, beside processes that leave the sweeping to it. */
describe('the command sweep', () => {
  let service: Harness;
  beforeEach(async () => {
    service = await startHarness({ worker: false, environment: { SWEEPERS: 'none' } });
    withRows(service.catalog);
  });
  afterEach(() => service.close());

  const on = (text: string, values: readonly unknown[] = []) => onDatabase(service.databaseUrl, text, [...values]);
  const stored = (text: string) =>
    [...service.store.objects.keys(), ...service.store.namespaces].filter((path) => path.includes(text));
  const accepted = async (): Promise<string> => {
    const posted = await service.post('/file', csvRequest, { headers: { prefer: 'respond-async' } });
    return ((await posted.json()) as { readonly id: string }).id;
  };
  const store = (id: string): void => {
    service.store.add(`/os/export-results/${new Date().toISOString().slice(0, 10)}/${id}/t.csv`, 'left');
  };
  const inState = (id: string, state: string) =>
    eventually(async () => (await on('select 1 from ex_export where id = $1 and state = $2', [id, state]))[0] ?? null);
  /** An export whose second worker has died as well; seen by the repairs, which do not wait for the command. */
  const abandoned = async (): Promise<string> => {
    const id = await accepted();
    store(id);
    await on(
      `update ex_export set state = 'running', attempt = 2, lease_until = now() - interval '1 s' where id = $1`,
      [id],
    );
    await inState(id, 'failed');
    return id;
  };
  const sweepCommand = (more: Readonly<Record<string, string>> = {}) =>
    new Promise<{ readonly code: number; readonly last: unknown; readonly complaint: string }>((resolve) => {
      const program = fileURLToPath(new URL('../src/sweep.js', import.meta.url));
      // no more than it needs: neither the queue nor the key of credentials
      const { DATABASE_URL, OBJECT_STORES, SERVICE_KEY, SCRATCH_DIR, SWEEP_SECONDS } = service.environment;
      const env = { PATH: process.env.PATH, DATABASE_URL, OBJECT_STORES, SERVICE_KEY, SCRATCH_DIR, SWEEP_SECONDS };
      const child = execFile(process.execPath, [program], { env: { ...env, ...more } }, (_error, stdout, complaint) => {
        const last = stdout.trim().split('\n').at(-1) ?? '';
        resolve({ code: child.exitCode ?? -1, last: last === '' ? null : JSON.parse(last), complaint });
      });
    });

  it('removes all that is due, nothing else, which nobody had done before; repairs go on without it', async () => {
    const [past, kept] = [await accepted(), await accepted()];
    for (const id of [past, kept]) {
      store(id);
      await on(
        `update ex_export set state = 'completed', attempt = 1, finished = now(), cleaned = now(), lease_until = null,
           expires = now() + $2::interval where id = $1`,
        [id, id === past ? '-1 s' : '1 hour'],
      );
    }
    await on(
      `insert into ex_credential (export_id, key_id, sealed, expires) values ($1, 'k', 's', now() - interval '1 s'), ($2, 'k', 's', now() + interval '1 hour')
         on conflict (export_id) do update set expires = excluded.expires`,
      [past, kept],
    );
    for (const day of ['2020-01-01', '2020-01-02']) service.store.namespaces.add(`/os/export-results/${day}`);
    service.store.namespaces.add('/os/export-results');
    service.store.add('/os/export-results/2020-01-02/x', 'x');
    const scratch = service.environment.SCRATCH_DIR ?? '';
    await mkdir(join(scratch, `${past}-1`), { recursive: true });
    // two rounds of the repairs: one after the other, and what a round removes comes after what it repairs
    const [first, second] = [await abandoned(), await abandoned()];
    await on(`update ex_export set finished = now() - interval '1 hour' where id = $1`, [first]);
    for (const id of [past, first]) expect(stored(id)).not.toEqual([]);
    expect(await on('select 1 from ex_credential where export_id = $1', [past])).toHaveLength(1);

    await on(`update ex_export set finished = now() + interval '1 minute' where id = $1`, [second]);
    expect(await sweepCommand()).toEqual({
      code: 0,
      last: {
        kind: 'swept',
        leader: true,
        removed: { credentials: 1, exports: 1, residues: 1, days: 1, scratch: 1 },
        failed: 0,
      },
      complaint: '',
    });
    for (const id of [past, first]) expect(stored(id)).toEqual([]);
    for (const id of [kept, second]) expect(stored(`${id}/t.csv`)).toHaveLength(1);
    expect(stored('/2020-01-')).toEqual(['/os/export-results/2020-01-02/x', '/os/export-results/2020-01-02']);
    expect(await readdir(scratch)).toEqual([]);
    const left = (await on('select id from ex_export')).map(({ id }) => id);
    expect(left.sort()).toEqual([kept, first, second].sort());
    expect(await on('select export_id from ex_credential')).toEqual([{ export_id: kept }]);
    expect((await sweepCommand()).last).toMatchObject({ leader: true, removed: nothing });
  });

  it('goes on until nothing is due, however many rounds that takes', async () => {
    const id = await accepted();
    await on(
      `update ex_export set state = 'completed', attempt = 1, finished = now(), cleaned = now(), expires = now() - interval '1 s' where id = $1`,
      [id],
    );
    await on(
      `insert into ex_export select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
         from ex_export e, generate_series(1, 250)`,
    );
    expect((await sweepCommand()).last).toMatchObject({ leader: true, removed: { ...nothing, exports: 251 } });
    expect(await on('select 1 from ex_export')).toEqual([]);
  });

  it('leaves everything to the process that is sweeping already', async () => {
    const id = await abandoned();
    await on(`update ex_export set finished = now() - interval '1 hour' where id = $1`, [id]);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      service.store.slow = async (method) => {
        if (method === 'DELETE') resolve();
        await released;
      };
    });
    const first = sweepCommand();
    await reached;
    expect(await sweepCommand()).toMatchObject({ code: 0, last: { leader: false, removed: nothing } });
    release();
    expect(await first).toMatchObject({ code: 0, last: { leader: true, removed: { ...nothing, residues: 1 } } });
  });

  it('ends with 2 and the reason when the object store is away, and leaves nothing undone for the next', async () => {
    const ids = [await abandoned(), await abandoned()];
    await on(`update ex_export set finished = now() - interval '1 hour'`);
    service.store.refuse = (method) => (method === 'DELETE' ? 503 : null);
    expect(await sweepCommand()).toMatchObject({
      code: 2,
      last: null,
      complaint: expect.stringMatching(/^export: the sweep failed: .*503/),
    });
    service.store.refuse = null;
    expect((await sweepCommand()).last).toMatchObject({ removed: { ...nothing, residues: 2 } });
    for (const id of ids) expect(stored(id)).toEqual([]);
    expect(await sweepCommand({ DATABASE_URL: 'mysql://x' })).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('DATABASE_URL'),
    });
  });
});
