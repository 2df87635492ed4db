import { measure, report } from '@holdfast/testkit';
import type { Workbench } from './workbench.js';

/**
 * Creating a catalog, against a bare CREATE DATABASE from the same template and the statements of a new catalog by a bare client in
 * one transaction.
 */
export async function measureCatalogs(bench: Workbench, rounds: number): Promise<boolean> {
  await bench.createCatalog();
  const admin = await bench.connect('postgres');
  const { rows } = await admin.query<{ readonly datname: string }>(
    `select datname from pg_database where datname like 'holdfast\\_template\\_%'`,
  );
  const template = rows[0]?.datname ?? '';
  let count = 0;
  const floor = async (): Promise<void> => {
    count += 1;
    const database = `floor_${count}`;
    await admin.query(`create database ${database} template ${template}`);
    const client = await bench.connect(database);
    await client.query('begin');
    await client.query(`select _catalog.begin_change('alice', 10000)`);
    await client.query(
      `insert into _catalog.elem (rid, kind, parent, lo, doc) values
         ('0', 'acl', '0', _catalog.now(), $1), ('0', 'annotation', '0', _catalog.now(), $2)`,
      [JSON.stringify({ owner: ['alice'] }), JSON.stringify({ 'tag:example.org,2018:indexing-preferences': {} })],
    );
    await client.query(
      `insert into _catalog.snap (ts, client, model, tables) values (_catalog.now(), 'alice', true, '{}')`,
    );
    await client.query('commit');
    await client.end();
  };
  const measured = await measure(
    [
      { name: 'CREATE DATABASE, one transaction', run: floor },
      {
        name: 'POST catalog',
        run: async () => {
          await bench.createCatalog();
        },
      },
    ],
    rounds * 3,
  );
  await admin.end();
  return report(`Creating a catalog, median of ${rounds * 3} rounds`, measured, 2);
}
