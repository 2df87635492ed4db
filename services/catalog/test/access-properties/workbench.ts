import type { CatalogFixture, ClientName } from '../support/catalog-fixture.js';
import type { Chooser } from './chooser.js';
import type { ClientRoles } from './decide.js';
import { catalogAcls, referencePath, schemaDocument } from './documents.js';
import type { Row, State } from './match.js';
import { type Policy, roleNames } from './policy.js';
import type { RecordedCase } from './recorded.js';
import { type AccessRequest, keyFor, randomRow, sentRequest } from './requests.js';

/** Roles of the clients of the fixture. */
export const clients: Readonly<Record<'alice' | 'bob' | 'carol' | 'anon', ClientRoles>> = {
  alice: { name: 'alice', roles: ['*', 'alice', 'g1'], anonymous: false },
  bob: { name: 'bob', roles: ['*', 'bob', 'g1', 'g2'], anonymous: false },
  carol: { name: 'carol', roles: ['*', 'carol'], anonymous: false },
  anon: { name: '', roles: ['*'], anonymous: true },
};

const json = { 'content-type': 'application/json' };
const ROWS = 6;

/** A policy at work: its schema in a catalog, with rows, to which requests can be sent. */
export class Workbench {
  readonly #fixture: CatalogFixture;
  readonly #catalog: string;
  readonly #schema: string;
  readonly policy: Policy;
  state: State = [];

  constructor(fixture: CatalogFixture, catalog: string, schema: string, policy: Policy) {
    this.#fixture = fixture;
    this.#catalog = catalog;
    this.#schema = schema;
    this.policy = policy;
  }

  /**
   * Makes the schema and its rows.
   * @param rows of each table; of the system columns they tell `RCB`
   */
  async open(rows: State): Promise<void> {
    await this.#demand('PUT', 'acl', catalogAcls(this.policy));
    await this.#demand('POST', 'schema', schemaDocument(this.#schema, this.policy));
    for (const [index, table] of this.policy.tables.entries()) {
      const alone = rows[index]?.map((row) => ({ ...row, f: null, g: null, gk: null }));
      await this.#demand('POST', `entity/${this.#schema}:${table.name}?nondefaults=RCB`, alone);
    }
    // creation opens references to everybody; without any list they are open, too
    for (const table of this.policy.tables)
      for (const name of ['f', 'g'] as const)
        if (!table.references[name].opened)
          await this.#demand(
            'PUT',
            `${referencePath(this.#schema, this.policy, table, name)}/acl`,
            table.references[name].acls,
          );
    // references last: they may go round in a circle
    for (const [index, table] of this.policy.tables.entries())
      await this.#demand('PUT', `attributegroup/${this.#schema}:${table.name}/id;f,g,gk`, rows[index]);
    this.state = await this.#read();
  }

  /** Sends a request and looks at what it left. */
  async ask(as: keyof typeof clients, request: AccessRequest): Promise<RecordedCase> {
    const before = this.state;
    const { method, target, body } = sentRequest(request, this.#schema);
    const { status, json: answer } = await this.#fixture.request(as, method, `${this.#catalog}/${target}`, body, json);
    if (method !== 'GET') this.state = await this.#readAfter(request);
    const after = method === 'GET' ? null : this.state;
    return { policy: this.policy, client: clients[as], request, before, status, answer, after };
  }

  /** What was sent, for a message. */
  text(request: AccessRequest): string {
    return JSON.stringify(sentRequest(request, this.#schema));
  }

  /** Deleting entities may change all tables, everything else its own. */
  async #readAfter(request: AccessRequest): Promise<State> {
    if (request.kind === 'delete') return this.#read();
    const changed =
      'table' in request ? request.table : 'path' in request ? (request.path.link?.to ?? request.path.root) : 0;
    const rows = await this.#rows(changed);
    return this.state.map((before, index) => (index === changed ? rows : before));
  }

  #read(): Promise<State> {
    return Promise.all(this.policy.tables.map((_, index) => this.#rows(index)));
  }

  async #rows(index: number): Promise<readonly Row[]> {
    return (await this.#demand('GET', `entity/${this.#schema}:t${index}`)) as readonly Row[];
  }

  /** A request of the owner, which must succeed. */
  async #demand(method: string, target: string, body?: unknown): Promise<unknown> {
    const as: ClientName = 'alice';
    const answer = await this.#fixture.request(as, method, `${this.#catalog}/${target}`, body, json);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.text}`);
    return answer.json;
  }
}

/** Rows for each table of a policy. */
export function randomState(choose: Chooser, policy: Policy): State {
  return policy.tables.map(() => Array.from({ length: ROWS }, (_, id) => storedRow(choose, id)));
}

/** A row whose references lead somewhere. */
function storedRow(choose: Chooser, id: number): Row {
  const row = randomRow(choose, id);
  const g = row.g ?? null;
  return {
    ...row,
    k: keyFor(id),
    f: row.f === 99 ? null : (row.f ?? null),
    gk: typeof g === 'number' ? keyFor(g) : (row.gk ?? null),
    RCB: choose.pick(roleNames),
  };
}
