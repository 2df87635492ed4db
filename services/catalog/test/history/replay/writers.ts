import pg from 'pg';
import type { ClientName } from '../../support/catalog-fixture.js';
import type { PastReader } from '../past-reader.js';
import { type NaiveChange, naiveCatalog, type Place } from './naive-catalog.js';
import { type Random, randomChange, randomChangeByHand } from './random-changes.js';

export const writers = ['alice', 'bob', 'carol', 'admin'] as const satisfies readonly ClientName[];

/** The id under which the fixture's client makes snapshots. */
function clientId(writer: ClientName): string {
  return writer === 'admin' ? 'admin-user' : writer;
}

/** Changes that succeeded, by client in the order of each; null stands for the operator who works with SQL. */
export type ChangeLog = ReadonlyMap<string | null, readonly NaiveChange[]>;

/** Has several writers make so many random changes together, at the same time, until as many have succeeded. */
export async function writeTogether(
  past: PastReader,
  random: Random,
  wanted: number,
  databaseUrl: string,
): Promise<ChangeLog> {
  const log = new Map<string | null, NaiveChange[]>([null, ...writers.map(clientId)].map((client) => [client, []]));
  let serial = 0;
  let done = 0;
  // in the order of answers, which need not be that of the changes: good enough to choose by
  const known = naiveCatalog();
  const note = (change: NaiveChange): void => {
    try {
      known.apply(change, 0);
    } catch {
      // another writer was faster
    }
  };
  let failed = false;
  const work = async (client: string | null, tryNext: () => Promise<NaiveChange | null>): Promise<void> => {
    while (done < wanted && !failed) {
      const change = await tryNext().catch((error: unknown) => {
        failed = true;
        throw error;
      });
      if (change === null) continue;
      done += 1;
      note(change);
      log.get(client)?.push(change);
    }
  };
  const next = (): number => {
    serial += 1;
    return serial;
  };
  const operator = new pg.Client({ connectionString: databaseUrl });
  await operator.connect();
  try {
    await Promise.all([
      ...writers.map((writer) =>
        work(clientId(writer), async () => {
          const change = randomChange(random, known.known(), next());
          return (await succeeds(past, writer, change)) ? change : null;
        }),
      ),
      work(null, async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        const change = randomChangeByHand(random, known.known(), next());
        return (await byHand(operator, change)) ? change : null;
      }),
    ]);
  } finally {
    await operator.end();
  }
  return log;
}

async function byHand(operator: pg.Client, change: Extract<NaiveChange, { kind: 'by hand' }>): Promise<boolean> {
  const { schema, table, column, ids, value } = change;
  try {
    // what the statement sees is fixed when it begins: it begins when the lock is there
    await operator.query('begin');
    await operator.query('select _catalog.now()');
    await operator.query(`update "${schema}"."${table}" set "${column}" = $1 where id = any($2)`, [value, ids]);
    await operator.query('commit');
    return true;
  } catch {
    await operator.query('rollback');
    return false;
  }
}

async function succeeds(past: PastReader, writer: ClientName, change: NaiveChange): Promise<boolean> {
  const { method, rest, body } = requestOf(change);
  const { status, text } = await past.send(method, rest, body, writer);
  if (status >= 500) throw new Error(`${method} ${rest} ${JSON.stringify(body)}: ${status} ${text}`);
  return status < 300;
}

interface ChangeRequest {
  readonly method: string;
  readonly rest: string;
  readonly body?: unknown;
}

function requestOf(change: Exclude<NaiveChange, { readonly kind: 'by hand' }> | NaiveChange): ChangeRequest {
  switch (change.kind) {
    case 'create table':
      return { method: 'POST', rest: `/schema/${change.schema}/table`, body: tableDocument(change.name) };
    case 'drop table':
      return { method: 'DELETE', rest: model(change) };
    case 'place table':
      return {
        method: 'PUT',
        rest: model(change),
        body: { schema_name: change.to.schema, table_name: change.to.table },
      };
    case 'annotate':
      return {
        method: 'PUT',
        rest: `${model(change)}/annotation`,
        body: { note: change.note, 'tag:example.org,2020:history-capture': change.captured },
      };
    case 'restrict':
      return { method: 'PUT', rest: `${model(change)}/acl`, body: { select: change.select } };
    case 'add column':
      return {
        method: 'POST',
        rest: `${model(change)}/column`,
        body: { name: change.column, type: change.type, default: change.value },
      };
    case 'drop column':
      return { method: 'DELETE', rest: `${model(change)}/column/${change.column}` };
    case 'rename column':
      return { method: 'PUT', rest: `${model(change)}/column/${change.column}`, body: { name: change.to } };
    case 'retype column':
      // the comment makes it a change in any case
      return {
        method: 'PUT',
        rest: `${model(change)}/column/${change.column}`,
        body: { type: change.type, comment: `${Math.random()}` },
      };
    case 'insert':
      return { method: 'POST', rest: `/entity/${data(change)}`, body: change.rows };
    case 'update':
      return {
        method: 'PUT',
        rest: `/attributegroup/${data(change)}/id;${change.column}`,
        body: change.ids.map((id) => ({ id, [change.column]: change.value })),
      };
    case 'clear':
      return { method: 'DELETE', rest: `/attribute/${data(change)}/id=any(${change.ids.join(',')})/${change.column}` };
    case 'delete':
      return { method: 'DELETE', rest: `/entity/${data(change)}/id=any(${change.ids.join(',')})` };
    case 'by hand':
      throw new Error('what is done by hand is no request');
    default:
      return change satisfies never;
  }
}

/** The tables as the naive catalog has them when they are new. */
export function tableDocument(name: string, more: object = {}): object {
  return {
    table_name: name,
    column_definitions: [
      { name: 'id', type: 'int4', nullok: false },
      { name: 'a', type: 'int4' },
    ],
    keys: [{ unique_columns: ['id'] }],
    ...more,
  };
}

function model({ schema, table }: Place): string {
  return `/schema/${schema}/table/${table}`;
}

function data({ schema, table }: Place): string {
  return `${schema}:${table}`;
}
