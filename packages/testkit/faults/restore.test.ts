import { createHash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReplicatedStack, startReplicatedStack, temporaryDirectory } from '@holdfast/stack';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, openClient } from '../acceptance/client.js';
import { at, text } from '../acceptance/documents.js';
import { copyFiles, dump, dumpServer } from './backup.js';

const limit = 300_000;

describe(`a backup ${dumpServer !== null ? 'by pg_dump' : 'of the files'}`, () => {
  let directory = '';
  beforeAll(async () => {
    directory = await temporaryDirectory('holdfast-restore-');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }), limit);

  it(
    'makes a fresh deployment that answers every question as the old one did, of the past too',
    async () => {
      const first = await start(join(directory, 'first'));
      const client = openClient(first.url);
      const questions = await fillIn(client);
      const answers = await ask(client, questions);
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      await client.close();
      const backup = dumpServer !== null ? await dump(first, directory) : await copyFiles(first, directory);

      const second = await start(await backup.restore(), first.port);
      const again = openClient(second.url);
      try {
        expect(await ask(again, questions)).toEqual(answers);
        // and it goes on: the next row and the next version have names that nobody had
        const row = await again.call('POST', `${questions[0]}/entity/s:t`, { csv: 'id,name\n99,new\n' });
        expect(row.status).toBe(200);
        const put = await again.call('PUT', `${questions[1]}/after`, { body: 'after', headers: octets });
        expect(put.status).toBe(201);
      } finally {
        await again.close();
        await second.stop();
      }
    },
    limit,
  );
});

const octets = { 'content-type': 'application/octet-stream' };

function start(dataDir: string, port?: number): Promise<ReplicatedStack> {
  return startReplicatedStack({
    dataDir,
    replicas: 1,
    ...(port === undefined ? {} : { port }),
    ...(dumpServer !== null ? { postgresUrl: dumpServer } : {}),
  });
}

/** Rows with a past, objects with versions, an upload that is still open, an export. Gives the paths to ask for. */
async function fillIn(client: Client): Promise<readonly string[]> {
  const created = await client.call('POST', '/data/catalog');
  const id = text(at(created.json(), 'id'));
  const catalog = `/data/catalog/${id}`;
  const columns = [
    { name: 'id', type: 'int4', nullok: false },
    { name: 'name', type: 'text' },
  ];
  const model = [
    { schema_name: 's', comment: 'as it was' },
    { schema_name: 's', table_name: 't', column_definitions: columns, keys: [{ unique_columns: ['id'] }] },
  ];
  await done(client.call('POST', `${catalog}/schema`, { json: model }));
  const rows = Array.from({ length: 200 }, (_, row) => `${row + 100},"name, ${row}"\n`).join('');
  await done(client.call('POST', `${catalog}/entity/s:t`, { csv: `id,name\n${rows}` }));
  const past = text(at((await client.call('GET', catalog)).json(), 'snaptime'));
  await done(client.call('PUT', `${catalog}/entity/s:t`, { csv: 'id,name\n100,changed\n101,changed\n' }));
  await done(client.call('DELETE', `${catalog}/entity/s:t/id::gt::280`));
  await done(
    client.call('PUT', `${catalog}/schema/s/table/t/annotation/tag%3Aexample.org%2C2026%3Anote`, { json: { a: 1 } }),
  );

  const namespace = `/objects/restore-${id}`;
  await done(client.call('PUT', namespace, { headers: { 'content-type': 'application/x-objstore-namespace' } }));
  const versions: string[] = [];
  for (const body of [randomBytes(300_000), randomBytes(10), randomBytes(0)]) {
    const put = await done(client.call('PUT', `${namespace}/object`, { body, headers: octets }));
    versions.push(put.text.trim());
  }
  await done(client.call('PUT', `${namespace};acl/read`, { json: ['bob', '*'] }));
  const sizes = { 'chunk-length': 1000, 'content-length': 2500 };
  const upload = await done(client.call('POST', `${namespace}/upload;upload`, { json: sizes }));
  const job = upload.text.trim();
  await done(client.call('PUT', `${job}/1`, { body: randomBytes(1000), headers: octets }));

  const query = { processor: 'csv', processor_params: { query_path: '/entity/s:t@sort(RID)', output_path: 't' } };
  const made = await done(
    client.call('POST', '/export/file', {
      json: { catalog: { host: client.url, catalog_id: id, query_processors: [query] } },
    }),
  );
  const result = new URL(made.text).pathname;
  const exported = result.split('/').slice(0, 4).join('/');
  return [
    catalog,
    namespace,
    `${catalog}@${past}`,
    `${catalog}/schema`,
    `${catalog}@${past}/schema`,
    `${catalog}/entity/s:t@sort(RID)`,
    `${catalog}@${past}/entity/s:t@sort(RID)`,
    `${catalog}/attributegroup/s:t/name;n:=cnt(*)@sort(name)`,
    `${catalog}/history/,`,
    '/data/',
    `${namespace}/object`,
    ...versions,
    ...versions.map((version) => `${version};metadata`),
    `${namespace}/object;versions`,
    `${namespace};acl`,
    job,
    result,
    `${exported}/log`,
    exported.replace('/file/', '/job/'),
  ];
}

async function done(answer: ReturnType<Client['call']>): ReturnType<Client['call']> {
  const { status, text: body } = await answer;
  if (status >= 300) throw new Error(`${status} ${body}`);
  return answer;
}

interface Answered {
  readonly question: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly content: string;
}

/** Every question in two forms. Headers that tell the time or the request are left out. */
async function ask(client: Client, questions: readonly string[]): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  for (const question of questions)
    for (const accept of question.includes('/entity/') || question.includes('/attributegroup/')
      ? ['text/csv', 'application/json']
      : ['*/*']) {
      const { status, headers, bytes } = await client.call('GET', question, { headers: { accept } });
      const kept = ['content-type', 'content-length', 'content-md5', 'content-sha256', 'etag', 'content-location'];
      answers.push({
        question: `${question} (${accept})`,
        status,
        headers: Object.fromEntries(kept.map((name) => [name, headers[name]])),
        content: bytes.length < 2_000 ? bytes.toString('latin1') : createHash('sha256').update(bytes).digest('hex'),
      });
    }
  return answers;
}
