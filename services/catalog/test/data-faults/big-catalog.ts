import { type Answer, type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

/** A service with a catalog whose table `S:big` is long enough that its rows do not fit into the buffers of a connection. */
export interface BigCatalog {
  readonly fixture: CatalogFixture;
  readonly id: string;
  /** `/catalog/1` */
  readonly path: string;
  /** A request of Alice below the catalog, with a JSON body. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Backends of the catalog that run a statement, by what they wait for. */
  active(): Promise<readonly Backend[]>;
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface Backend {
  readonly pid: number;
  readonly waitsFor: string;
}

/** A count over a join of billions of rows, which no time budget of a test allows. */
export const ENDLESS = 'S:big/B:=(k)=(S:big:k)/C:=(k)=(S:big:k)/D:=(k)=(S:big:k)';

/** About 100 MB in any format. */
export const ROWS = 5000;

export async function openBigCatalog(environment: Readonly<Record<string, string>>): Promise<BigCatalog> {
  const fixture = await startCatalog({ environment: { CATALOG_CONNECTIONS: '2', ...environment } });
  const path = await fixture.createCatalog();
  const id = path.slice('/catalog/'.length);
  const ask: BigCatalog['ask'] = (method, target, body) =>
    fixture.request('alice', method, `${path}/${target}`, body, { 'content-type': 'application/json' });
  const demand: BigCatalog['ask'] = async (method, target, body) => {
    const answer = await ask(method, target, body);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.text}`);
    return answer;
  };
  await demand('POST', 'schema/S');
  await demand('POST', 'schema/S/table', {
    table_name: 'big',
    column_definitions: [
      { name: 'id', type: 'int4', nullok: false },
      { name: 'k', type: 'int4' },
      { name: 'text', type: 'text' },
    ],
    keys: [{ unique_columns: ['id'] }],
    // an index would have to hold the long text
    annotations: { 'tag:example.org,2018:indexing-preferences': { btree: false, trgm: false } },
  });
  const rows = Array.from({ length: ROWS }, (_, index) => ({ id: index + 1, k: 1 }));
  await demand('POST', 'entity/S:big', rows);
  const sql = (text: string) => fixture.query(id, text);
  await sql(`update "S".big set text = repeat('x', 20000)`);
  return {
    fixture,
    id,
    path,
    ask,
    sql,
    active: async () =>
      (
        await sql(
          `select pid, coalesce(wait_event, '') as waits from pg_stat_activity
             where datname = current_database() and application_name = 'holdfast-catalog' and state = 'active'`,
        )
      ).map((row) => ({ pid: Number(row.pid), waitsFor: String(row.waits) })),
    close: () => fixture.close(),
  };
}
