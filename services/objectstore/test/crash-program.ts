import { runServiceProcess } from '@holdfast/http-kit';
import { type Connection, compile, type Database, type Sql } from '@holdfast/pg-kit';
import type { BlobSource, BlobStore, PartStore } from '../src/blobs/blob-store.js';
import { objectStoreServiceOn } from '../src/service.js';

/**
 * The service as it is, on ports that tell what passes and can kill the process there, as `kill -9` does. Armed by a message of the parent
 * or, for what happens at the start, by the variable CRASH_AT.
 */
let armed: { readonly pattern: RegExp; left: number } | null =
  process.env.CRASH_AT === undefined ? null : { pattern: new RegExp(process.env.CRASH_AT, 's'), left: 1 };

process.on('message', (message: { readonly pattern: string; readonly occurrence: number }) => {
  armed = { pattern: new RegExp(message.pattern, 's'), left: message.occurrence };
  process.send?.({ kind: 'armed' });
});

/** Something has just happened; the process may end here and now. */
function passed(event: string): void {
  if (armed?.pattern.test(event) !== true) return;
  armed.left -= 1;
  if (armed.left === 0) process.kill(process.pid, 'SIGKILL');
}

await runServiceProcess(objectStoreServiceOn({ database: tellingDatabase, store: tellingStore }), process.env);

function tellingDatabase(database: Database): Database {
  return {
    ...database,
    withConnection: (signal, work) =>
      database.withConnection(signal, (connection) => work(tellingConnection(connection, []))),
    transaction: async (options, work) => {
      const statements: string[] = [];
      const result = await database.transaction(options, (connection) =>
        work(tellingConnection(connection, statements)),
      );
      passed(`commit: ${statements.join('; ')}`);
      return result;
    },
  };
}

function tellingConnection(connection: Connection, statements: string[]): Connection {
  const note = (statement: Sql): void => {
    const { text } = compile(statement);
    statements.push(text);
    passed(`statement: ${text}`);
  };
  return {
    client: connection.client,
    query: async <Row extends object>(statement: Sql, options?: Parameters<Connection['query']>[1]) => {
      const rows = await connection.query<Row>(statement, options);
      note(statement);
      return rows;
    },
    execute: async (statement) => {
      const count = await connection.execute(statement);
      note(statement);
      return count;
    },
  };
}

function tellingStore(store: BlobStore): BlobStore {
  return {
    ...store,
    put: (key, source, signal) => telling('put', () => store.put(key, tellingSource('put', source), signal)),
    assemble: (key, pieces, signal) => telling('assemble', () => store.assemble(key, pieces, signal)),
    remove: (key, unfinished) => telling('remove', () => store.remove(key, unfinished)),
    ...(store.parts === undefined ? {} : { parts: tellingParts(store.parts) }),
  };
}

function tellingParts(parts: PartStore): PartStore {
  return {
    ...parts,
    begin: (...given) => telling('begin parts', () => parts.begin(...given)),
    put: (upload, number, source, signal) =>
      telling('put part', () => parts.put(upload, number, tellingSource('put part', source), signal)),
    complete: (...given) => telling('complete parts', () => parts.complete(...given)),
    measure: (...given) => telling('measure', () => parts.measure(...given)),
  };
}

async function telling<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  passed(`store: before ${name}`);
  const result = await work();
  passed(`store: after ${name}`);
  return result;
}

function tellingSource<Source extends BlobSource>(name: string, source: Source): Source {
  return { ...source, bytes: tellingBytes(name, source.bytes) };
}

async function* tellingBytes(name: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    yield chunk;
    passed(`store: bytes of ${name}`);
  }
}
