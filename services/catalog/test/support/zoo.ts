import { type WireProfileName, wireProfile } from '@holdfast/http-kit';
import { type Answer, jsonOf, type RawClient, type Row, rawClient, rowsOf, textMember } from '../data/raw-client.js';
import { zooModel } from '../data/zoo-model.js';
import { type TableLoad, zooRows } from '../data/zoo-rows.js';
import { type CatalogFixture, startCatalog } from './catalog-fixture.js';

/** Clients with a development token of their own, `<name>-token`, and the one without. */
export type Who = 'alice' | 'bob' | 'carol' | 'admin' | 'anonymous';

export interface Body {
  /** Null sends no `Content-Type`. */
  readonly mediaType: string | null;
  readonly text: string;
}

export interface SendOptions {
  /** Alice, who owns the catalog, if absent. */
  readonly as?: Who;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

/** An answer together with the request it belongs to, for messages and common checks. */
export interface Exchange {
  readonly method: string;
  readonly target: string;
  readonly sent: SendOptions;
  readonly answer: Answer;
}

/** A catalog with the sample model and its rows. */
export interface Zoo {
  readonly profile: WireProfileName;
  /** `<prefix>/catalog/<id>`. */
  readonly path: string;
  /** Everything sent to it so far, after it was set up. */
  readonly exchanges: readonly Exchange[];
  /** Entity tag of `entity/zoo:animal` for its owner in the initial state. */
  readonly initialTag: string;
  /** Whether a request changed it. */
  changed(): boolean;
  /** RID of a row of the initial data, by table of the schema `zoo` and its id. */
  rid(table: string, id: number): string;
  /** @param target relative to the catalog, or with a leading slash or `@` as it stands after the server or the catalog id */
  send(method: string, target: string, options?: SendOptions): Promise<Answer>;
}

/** A running catalog service and, whenever asked, a zoo in its initial state. */
export interface ZooStage {
  /** The zoo of the last call as long as nothing in it was changed, else a new one. */
  initial(): Promise<Zoo>;
  close(): Promise<void>;
}

export async function openZooStage(profile: WireProfileName): Promise<ZooStage> {
  const service = await startCatalog({ profile });
  const client = rawClient(service.url);
  let current: Zoo | null = null;
  return {
    async initial() {
      const last = current;
      if (last !== null && !last.changed()) return last;
      // should the next lines fail, the test after this one starts anew
      current = null;
      current = await (last !== null && changedRowsOnly(last)
        ? refillZoo(client, profile, last.path)
        : createZoo(service, client, profile));
      return current;
    },
    async close() {
      client.close();
      await service.close();
    },
  };
}

/** JSON as the body of a request. */
export function json(value: unknown): Body {
  return { mediaType: 'application/json', text: JSON.stringify(value) };
}

/** CSV records as the body of a request. */
export function csvBody(...records: readonly string[]): Body {
  return { mediaType: 'text/csv', text: records.map((record) => `${record}\n`).join('') };
}

/** Any text in any media type as the body of a request. */
export function rawBody(text: string, mediaType: string | null = 'application/json'): Body {
  return { mediaType, text };
}

/** Methods of requests that may change something. */
export const changing: ReadonlySet<string> = new Set(['POST', 'PUT', 'DELETE', 'PATCH']);

async function createZoo(service: CatalogFixture, client: RawClient, profile: WireProfileName): Promise<Zoo> {
  const prefix = wireProfile(profile).catalogPrefixes[0] ?? '';
  const created = await send(client, 'POST', `${prefix}/catalog`, { body: json({}) });
  const id = textMember(jsonOf(demand(created, 201, 'POST catalog')), 'id');
  const path = `${prefix}/catalog/${id}`;
  demand(await send(client, 'POST', `${path}/schema`, { body: json(zooModel(profile)) }), 201, 'POST schema');
  await lengthenRids(client, path);
  await addHeavyView(service, id);
  return loadedZoo(client, profile, path, await loadRows(client, path, (load) => load.parameters));
}

/** Empties the tables and loads them again, with the serial ids that were drawn the first time. */
async function refillZoo(client: RawClient, profile: WireProfileName, path: string): Promise<Zoo> {
  for (const table of ['bare', ...zooRows.map((load) => load.table).reverse()]) {
    const answer = await send(client, 'DELETE', `${path}/entity/zoo:${table}`, {});
    if (answer.status !== 404) demand(answer, 204, `DELETE entity/zoo:${table}`);
  }
  return loadedZoo(client, profile, path, await loadRows(client, path, () => ''));
}

/** Whether emptying and loading the tables undoes all requests: no change of model or rights, no serial number drawn. */
function changedRowsOnly(zoo: Zoo): boolean {
  return zoo.exchanges
    .filter(({ method, answer }) => changing.has(method) && answer.status < 300)
    .every(({ target }) => /\/(entity|attribute|attributegroup)\//.test(target) && !target.includes('defaults=id'));
}

async function loadedZoo(
  client: RawClient,
  profile: WireProfileName,
  path: string,
  rids: ReadonlyMap<string, string>,
): Promise<Zoo> {
  const { headers } = await send(client, 'GET', `${path}/entity/zoo:animal`, {});
  const exchanges: Exchange[] = [];
  return {
    profile,
    path,
    exchanges,
    initialTag: headers.etag ?? '',
    rid(table, id) {
      const rid = rids.get(`${table} ${id}`);
      if (rid === undefined) throw new Error(`No row ${id} of ${table} was loaded.`);
      return rid;
    },
    async send(method, target, options = {}) {
      const whole = absolute(path, target);
      const answer = await send(client, method, whole, options);
      exchanges.push({ method, target: whole, sent: options, answer });
      return answer;
    },
    changed: () => exchanges.some(({ method, answer }) => changing.has(method) && answer.status < 300),
  };
}

function absolute(path: string, target: string): string {
  if (target.startsWith('/')) return target;
  return target.startsWith('@') ? `${path}${target}` : `${path}/${target}`;
}

/** Makes the next RIDs ones with a hyphen and letters, so that their spellings differ: a row with such a RID comes and goes. */
async function lengthenRids(client: RawClient, path: string): Promise<void> {
  const body = json([{ RID: '7-ABCC' }]);
  demand(await send(client, 'POST', `${path}/entity/zoo:bare?nondefaults=RID`, { body }), 200, 'POST with a RID');
  demand(await send(client, 'DELETE', `${path}/entity/zoo:bare`, {}), 204, 'DELETE entity/zoo:bare');
}

/** The view is made by hand; the service shows it after the documented call (spec/catalog-model.md 17), once it has that. */
async function addHeavyView(service: CatalogFixture, catalogId: string): Promise<void> {
  const [call] = await service.query(
    catalogId,
    `select to_regprocedure('_catalog.model_changed()') is not null as known`,
  );
  if (call?.known !== true) return;
  await service.query(
    catalogId,
    `do $$ begin
      create view zoo.heavy as
        select "RID", "RCT", "RMT", "RCB", "RMB", id, name, weight from zoo.animal where weight > 50;
      perform _catalog.model_changed();
    end $$`,
  );
}

async function loadRows(
  client: RawClient,
  path: string,
  parametersOf: (load: TableLoad) => string,
): Promise<ReadonlyMap<string, string>> {
  const rids = new Map<string, string>();
  for (const load of zooRows) {
    const target = `entity/zoo:${load.table}${parametersOf(load)}`;
    const answer = await send(client, 'POST', `${path}/${target}`, { body: json(load.rows) });
    for (const row of rowsOf(demand(answer, 200, `POST ${target}`))) remember(rids, load.table, row);
  }
  return rids;
}

function remember(rids: Map<string, string>, table: string, row: Row): void {
  if (typeof row.id === 'number' && typeof row.RID === 'string') rids.set(`${table} ${row.id}`, row.RID);
}

function demand(answer: Answer, status: number, what: string): Answer {
  if (answer.status === status) return answer;
  throw new Error(`The sample model cannot be set up: ${what} answered ${answer.status} ${answer.text}`);
}

function send(client: RawClient, method: string, target: string, options: SendOptions): Promise<Answer> {
  const { as = 'alice', headers = {}, body } = options;
  return client.send({
    method,
    target,
    headers: {
      ...(as === 'anonymous' ? {} : { authorization: `Bearer ${as}-token` }),
      ...(body === undefined || body.mediaType === null ? {} : { 'content-type': body.mediaType }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body.text }),
  });
}
