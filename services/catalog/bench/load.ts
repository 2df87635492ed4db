/**
 * `pnpm bench load`: 118,770 rows by `POST entity` as CSV, against a raw COPY of the same rows into a table of the same definition
 * (same indexes, keys and foreign keys) in the same database. Issue 2 allows 3 times as long.
 */
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startStack, temporaryDirectory } from '@holdfast/stack';
import { measure, report } from '@holdfast/testkit';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { censusCsv, quadratCsv, quadratModel, ROWS } from './quadrats.js';

const LIMIT = 3;
const rounds = Number(process.argv[2] ?? 5);
const directory = await temporaryDirectory('holdfast-bench-');
const stack = await startStack({ port: 0, dataDir: directory });
const call = async (method: string, path: string, body: string | null, type = 'text/csv'): Promise<Response> => {
  const answer = await fetch(`${stack.url}/data/${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${stack.tokens.alice}`,
      Accept: 'text/csv, application/json',
      ...(body === null ? {} : { 'Content-Type': type }),
    },
    body,
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
};
try {
  const { id } = (await (await call('POST', 'catalog', null)).json()) as { id: string };
  await call('POST', `catalog/${id}/schema`, JSON.stringify(quadratModel()), 'application/json');
  await call('POST', `catalog/${id}/entity/plants:censuses`, censusCsv());
  await call('POST', `catalog/${id}/entity/plants:species`, `code\n${[0, 1, 2, 3].map((n) => `sp${n}`).join('\n')}\n`);
  const rows = quadratCsv();
  const client = new pg.Client({ connectionString: await lastCatalogDatabase() });
  client.on('error', () => undefined);
  await client.connect();
  const measured = await measure(
    [
      {
        name: 'raw COPY into the same table',
        prepare: async () => {
          await client.query('truncate plants.quadrats_floor');
        },
        run: async () => {
          const copy = client.query(
            copyFrom(
              'copy plants.quadrats_floor (year, season, plot, quadrat, species, abundance, cover, notes) from stdin (format csv, header)',
            ),
          );
          await pipeline(Readable.from([Buffer.from(rows)]), copy);
        },
      },
      {
        name: 'POST entity, CSV in, CSV out',
        prepare: async () => {
          await client.query('truncate plants.quadrats');
        },
        run: async () => {
          const answer = await call('POST', `catalog/${id}/entity/plants:quadrats`, rows);
          const text = await answer.text();
          if (text.split('\n').length !== ROWS + 2)
            throw new Error(`the answer has ${text.split('\n').length - 2} rows: ${text.slice(-200)}`);
        },
      },
    ],
    rounds,
  );
  await client.end();
  process.exitCode = report(`Loading ${ROWS} rows, median of ${rounds} rounds`, measured, LIMIT) ? 0 : 1;
} finally {
  await stack.stop();
  await rm(directory, { recursive: true, force: true });
}

/** The database of a catalog: the one made last, since this stack has no other. */
async function lastCatalogDatabase(): Promise<string> {
  const admin = new pg.Client({ connectionString: stack.postgresUrl });
  await admin.connect();
  const { rows } = await admin.query<{ datname: string }>(
    `select datname from pg_database where datname like 'catalog\\_%' order by oid desc limit 1`,
  );
  await admin.end();
  const url = new URL(stack.postgresUrl);
  url.pathname = `/${rows[0]?.datname ?? ''}`;
  return url.href;
}
