import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { exampleCategories, exampleRows, exampleSchema } from './documents.js';
import { operations, type PermissionPolicy, permissions } from './permissions.js';

const clients = { bob: 12, carol: 13, anon: 11 } as const;
type Client = keyof typeof clients;

/** The permission table, every cell of it asked for. */
describe('permissions', () => {
  let fixture: CatalogFixture;
  let catalog = '';

  beforeAll(async () => {
    fixture = await startCatalog();
    catalog = await fixture.createCatalog();
    await demand('PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
    await demand('POST', '/schema', exampleSchema());
    await demand('POST', '/entity/S:Cat', exampleCategories);
    await demand('POST', '/entity/S:D', rows());
  });
  afterAll(() => fixture.close());

  it.each(permissions)(
    '$title',
    async ({ policy, expected }: PermissionPolicy) => {
      await setPolicy(policy);
      const lines: (readonly string[])[] = [Object.keys(operations)];
      for (const client of Object.keys(clients) as Client[]) {
        const cells: string[] = [];
        for (const [name, operation] of Object.entries(operations)) cells.push(await cell(client, name, operation));
        lines.push([client, ...cells]);
      }
      expect(lines).toEqual(expected.trim().split('\n').map(cellsOf));
    },
    60_000,
  );

  async function cell(client: Client, name: string, operation: (typeof operations)[string]): Promise<string> {
    const [method, path, body] = operation;
    const filled = (text: string): string =>
      text.replaceAll('{id}', String(clients[client])).replaceAll('{new}', '21').replace('{D}', '/schema/S/table/D');
    const target = `${catalog}${filled(path)}`;
    const type = { 'content-type': name === 'comment' ? 'text/plain' : 'application/json' };
    const answer = await fixture.request(client, method, target, body === undefined ? undefined : filled(body), type);
    if (method !== 'GET' && answer.status < 300 && name !== 'comment') await restoreRows();
    return `${answer.status}${rowCount(name, answer)}`;
  }

  /** Everything as it was, then the lists and bindings of a policy. */
  async function setPolicy(policy: PermissionPolicy['policy']): Promise<void> {
    for (const subject of ['/schema/S', '/schema/S/table/D', '/schema/S/table/D/column/val', reference]) {
      await demand('PUT', `${subject}/acl`, subject === reference ? { insert: ['*'], update: ['*'] } : {});
      if (subject !== '/schema/S') await demand('PUT', `${subject}/acl_binding`, {});
    }
    for (const [path, document] of Object.entries(policy)) {
      const target = path.replace('{F}', reference).replace('{D}', '/schema/S/table/D').replace('{S}', '/schema/S');
      await demand('PUT', target, document);
    }
  }

  async function restoreRows(): Promise<void> {
    await fixture.request('alice', 'DELETE', `${catalog}/entity/S:D`);
    await demand('POST', '/entity/S:D', rows());
  }

  async function demand(method: string, path: string, body: unknown): Promise<void> {
    const json = { 'content-type': 'application/json' };
    const answer = await fixture.request('alice', method, `${catalog}${path}`, body, json);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  }
});

const reference = '/schema/S/table/D/foreignkey/c_id/reference/S:Cat/id';

/** The rows of the examples, with their categories. */
function rows(): readonly object[] {
  return exampleRows.map((row, index) => ({ ...row, c_id: index < 3 ? index + 1 : null }));
}

function rowCount(name: string, { status, json }: Answer): string {
  if (status !== 200 || !Array.isArray(json)) return '';
  if (name === 'rows' || name === 'whole') return `:${json.length}`;
  if (name === 'values') return `:${json.filter((row: { val: unknown }) => row.val !== null).length}`;
  return '';
}

function cellsOf(line: string): readonly string[] {
  return line.trim().split(/\s+/);
}
