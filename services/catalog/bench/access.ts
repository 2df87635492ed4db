/**
 * `pnpm bench access`: what rules that depend on the row cost a client with ten roles, against SQL written by hand behind an empty
 * Express route. One table has the owner of each row in a column, another in the group that the row refers to. Issue 5 allows 1.3
 * times as long. Give words of the titles to run only some.
 */
import { type Candidate, measure, report } from '@holdfast/testkit';
import { expectOk, type ServedCatalog, serveCatalog } from './served-catalog.js';

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000);
const GROUPS = 1000;
/** Bob has 10 of the 40 owners: every fourth row. */
const OWNERS = 40;
const LIMIT = 1.3;
const chosen = process.argv.slice(2).map((word) => word.toLowerCase());
const attributes = Array.from({ length: 9 }, (_, index) => ({ id: `owner ${index + 1}` }));
const bob = { token: 'bob-token', client: { id: 'owner 0' }, attributes };
const roles = `'{*,${Array.from({ length: 10 }, (_, index) => `"owner ${index}"`).join(',')}}'::text[]`;
let allKept = true;

/** A table, with its rule as a binding and as SQL. */
interface Ruled {
  readonly title: string;
  readonly table: 'owned' | 'grouped';
  readonly projection: unknown;
  readonly condition: string;
}

const tables: readonly Ruled[] = [
  { title: 'owner column', table: 'owned', projection: 'owner', condition: `t.owner = any(${roles})` },
  {
    title: 'one hop',
    table: 'grouped',
    projection: [{ outbound: ['b', 'grouped_grp'] }, 'owner'],
    condition: `exists (select from b.grp g where g.id = t.grp and g.owner = any(${roles}))`,
  },
];

const served = await serveCatalog(model(), [bob]);
try {
  const floor = await served.startFloor();
  await fill();
  for (const ruled of tables) await readRows(served, floor, ruled);
  for (const ruled of tables) await tellRights(served, floor, ruled);
} finally {
  await served.stop();
}
process.exitCode = allKept ? 0 : 1;

/** Rows are seen by the rule alone. */
async function readRows(catalog: ServedCatalog, floor: number, ruled: Ruled): Promise<void> {
  const { title, table, projection, condition } = ruled;
  await setPolicy(catalog, table, { select: [] }, { rule: { types: ['select'], projection } });
  const columns = '"RID", "RCT", "RMT", "RCB", "RMB", name, owner, grp';
  const rows = `select ${columns} from b.${table} t where ${condition}`;
  const entity = `${catalog.base}/entity/b:${table}`;
  const page = `${entity}@sort(RID)?limit=25`;
  await compare(`${title}: first page of 25 by RID, 100 times`, 9, [
    byHand(floor, `copy (${json(`${rows} order by "RID" limit 25`)}) to stdout`, 100),
    byService(catalog, page, 100),
  ]);
  await compare(`${title}: all rows as CSV`, 5, [
    byHand(floor, `copy (${rows}) to stdout (format csv, header)`),
    byService(catalog, entity, 1, 'text/csv'),
  ]);
  await compare(`${title}: count`, 9, [
    byHand(floor, `copy (${json(`select count(*) as n from b.${table} t where ${condition}`)}) to stdout`, 5),
    byService(catalog, `${catalog.base}/aggregate/b:${table}/n:=cnt(*)`, 5),
  ]);
}

/** Rows are seen by all and changed by the rule: what `trs` and `tcrs` tell. */
async function tellRights(catalog: ServedCatalog, floor: number, ruled: Ruled): Promise<void> {
  const { title, table, projection, condition } = ruled;
  await setPolicy(catalog, table, { select: ['*'] }, { rule: { types: ['update', 'delete'], projection } });
  const users = ['name', 'owner', 'grp'].map((name) => `'${name}', allowed`).join(', ');
  const system = ['RID', 'RCT', 'RMT', 'RCB', 'RMB'].map((name) => `'${name}', false`).join(', ');
  const documents = {
    trs: `jsonb_build_object('update', allowed, 'delete', allowed)`,
    tcrs: `jsonb_build_object('update', allowed, 'delete', allowed, 'column_update', jsonb_build_object(${system}, ${users}))`,
  };
  for (const name of ['trs', 'tcrs'] as const) {
    // the limit inside, the rule outside: as one would write it
    const statement = `select "RID", ${documents[name]} as r from (select "RID", ${condition} as allowed
      from (select * from b.${table} order by "RID" limit 10000) t offset 0) a`;
    await compare(`${title}: ${name} of 10,000 rows`, 9, [
      byHand(floor, `copy (${json(statement)}) to stdout`),
      byService(catalog, `${catalog.base}/attributegroup/b:${table}/RID;r:=${name}(RID)@sort(RID)?limit=10000`),
    ]);
  }
}

function byHand(floor: number, statement: string, times = 1): Candidate {
  const path = `/copy?statement=${encodeURIComponent(statement)}`;
  return { name: 'SQL by hand behind an Express route', run: () => repeated(times, () => served.drain(floor, path)) };
}

function byService(catalog: ServedCatalog, path: string, times = 1, accept = 'application/json'): Candidate {
  const run = () => repeated(times, () => catalog.drain(catalog.port, path, { accept, token: 'bob-token' }));
  return { name: `GET by a client with ten roles`, run };
}

async function repeated(times: number, work: () => Promise<void>): Promise<void> {
  for (let count = 0; count < times; count += 1) await work();
}

function json(statement: string): string {
  return `select row_to_json(o)::text from (${statement}) o`;
}

async function compare(title: string, rounds: number, candidates: readonly Candidate[]): Promise<void> {
  if (chosen.length > 0 && !chosen.some((word) => title.toLowerCase().includes(word))) return;
  const kept = report(title, await measure(candidates, rounds), LIMIT);
  allKept &&= kept;
}

async function setPolicy(catalog: ServedCatalog, table: string, acls: object, bindings: object): Promise<void> {
  const path = `${catalog.base}/schema/b/table/${table}`;
  await expectOk(catalog.send(catalog.port, 'PUT', `${path}/acl`, { body: JSON.stringify(acls) }));
  await expectOk(catalog.send(catalog.port, 'PUT', `${path}/acl_binding`, { body: JSON.stringify(bindings) }));
}

function model(): unknown {
  const bare = { 'tag:example.org,2018:indexing-preferences': { btree: false, trgm: false, gin_array: false } };
  const column = (name: string, type: string, indexed = false) => ({
    name,
    type,
    annotations: { 'tag:example.org,2018:indexing-preferences': { btree: indexed, trgm: false } },
  });
  const columns = [column('name', 'text'), column('owner', 'text', true), column('grp', 'int4', true)];
  const table = (foreign_keys: readonly object[]) => ({ annotations: bare, column_definitions: columns, foreign_keys });
  const grp = {
    annotations: bare,
    column_definitions: [{ name: 'id', type: 'int4', nullok: false }, column('owner', 'text', true)],
    keys: [{ unique_columns: ['id'] }],
  };
  const reference = {
    names: [['b', 'grouped_grp']],
    foreign_key_columns: [{ schema_name: 'b', table_name: 'grouped', column_name: 'grp' }],
    referenced_columns: [{ schema_name: 'b', table_name: 'grp', column_name: 'id' }],
  };
  return { schemas: { b: { tables: { grp, owned: table([]), grouped: table([reference]) } } } };
}

async function fill(): Promise<void> {
  process.stdout.write(`filling twice ${ROWS} rows ...\n`);
  // everybody may see the catalog
  await expectOk(served.send(served.port, 'PUT', `${served.base}/acl/enumerate`, { body: '["*"]' }));
  const client = await served.connect();
  await client.query(
    `insert into b.grp (id, owner) select i, 'owner ' || i % ${OWNERS} from generate_series(0, ${GROUPS - 1}) i`,
  );
  for (const { table } of tables) {
    // groups are scattered, so that no order of rows helps
    await client.query(`insert into b.${table} (name, owner, grp)
      select 'row number ' || i, 'owner ' || (i::bigint * 7919) % ${OWNERS}, (i::bigint * 7919) % ${GROUPS} from generate_series(1, ${ROWS}) i`);
  }
  await client.query('vacuum analyze');
  await client.end();
}
