import type { Answer, CatalogFixture, ClientName } from '../support/catalog-fixture.js';

/** A catalog whose past is looked at. */
export interface PastReader {
  /** `/catalog/1`. */
  readonly path: string;
  readonly id: string;
  /** Sends a request of alice below the catalog: `/entity/S:t`, `@2PX-.../entity/S:t`. */
  send(method: string, rest: string, body?: unknown, as?: ClientName): Promise<Answer>;
  /** The same; fails unless it succeeds. Gives the parsed body. */
  done(method: string, rest: string, body?: unknown, as?: ClientName): Promise<unknown>;
  /** Id of the latest snapshot. */
  now(): Promise<string>;
  /** Rows at a snapshot, for the owner: `entity/S:t`. */
  rows(snapshot: string, resource: string): Promise<readonly Record<string, unknown>[]>;
  /** RID of a model element: `schema/S/table/t`. */
  rid(element: string): Promise<string>;
  /** Runs SQL in its database. */
  sql(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Makes the table `S:t` with the key `id` and other columns, by name and type, and fills it. */
  makeTable(columns: Readonly<Record<string, string>>, rows?: readonly object[]): Promise<void>;
}

/** A new catalog of alice, open to everybody for reading, with a schema `S`. */
export async function pastReader(fixture: CatalogFixture): Promise<PastReader> {
  const path = await fixture.createCatalog();
  const id = path.slice('/catalog/'.length);
  const send: PastReader['send'] = (method, rest, body, as = 'alice') =>
    fixture.request(as, method, `${path}${rest}`, body, {
      ...(rest.includes('/entity/') || rest.includes('/attributegroup/') ? { 'content-type': 'application/json' } : {}),
    });
  const done: PastReader['done'] = async (method, rest, body, as) => {
    const { status, text, json } = await send(method, rest, body, as);
    if (status >= 300) throw new Error(`${method} ${rest}: ${status} ${text}`);
    return json;
  };
  await done('PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
  await done('POST', '/schema/S');
  return {
    path,
    id,
    send,
    done,
    now: async () => member(await done('GET', ''), 'snaptime'),
    rows: async (snapshot, resource) =>
      (await done('GET', `@${snapshot}/${resource}`)) as readonly Record<string, unknown>[],
    rid: async (element) => {
      const document = await done('GET', `/${element}`);
      return member(Array.isArray(document) ? document[0] : document, 'RID');
    },
    sql: (text, values) => fixture.query(id, text, values),
    makeTable: async (columns, rows = []) => {
      const others = Object.entries(columns).map(([name, type]) => ({ name, type }));
      await done('POST', '/schema/S/table', {
        table_name: 't',
        column_definitions: [{ name: 'id', type: 'int8', nullok: false }, ...others],
        keys: [{ unique_columns: ['id'] }],
      });
      if (rows.length > 0) await done('POST', '/entity/S:t', rows);
    },
  };
}

/** A text member of a document. */
export function member(document: unknown, name: string): string {
  const value: unknown = typeof document === 'object' && document !== null ? Reflect.get(document, name) : undefined;
  if (typeof value === 'string') return value;
  throw new Error(`There is no text ${name} in ${JSON.stringify(document)}.`);
}
