import { randomBytes } from 'node:crypto';
import { type Connection, type Database, type Sql, sql } from '@holdfast/pg-kit';
import { z } from 'zod';
import { type Attribute, type Client, type ClientContext, knownContext } from './client-context.js';
import { attributeDocument, clientDocument, toAttributeDocument, toClientDocument } from './client-documents.js';
import { credentialHash } from './hashing.js';
import { onIdentityDatabase } from './identity-database.js';

/** Cookie sessions in the identity database (spec/identity.md 3.3). All methods throw `unavailable` when it is away. */
export interface SessionStore {
  /** Begins a session with an id of its own. */
  begin(
    client: Client,
    attributes: readonly Attribute[],
  ): Promise<{ readonly id: string; readonly context: ClientContext }>;
  /** The client of a live session, which is extended by this, at most once a minute; null when there is none. */
  use(id: string): Promise<ClientContext | null>;
  /** Like {@link use}, extended at once. */
  extend(id: string): Promise<ClientContext | null>;
  /** Ends a session because its owner wants so. */
  end(id: string): Promise<void>;
  /** Whether the session with this key was ended by its owner. */
  isLoggedOut(key: string): Promise<boolean>;
}

/** How long sessions live. */
export interface SessionTimes {
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
  /** Clock in milliseconds. */
  readonly now: () => number;
}

interface SessionRow {
  readonly client: unknown;
  readonly attributes: unknown;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly expires: number;
}

const ID_BYTES = 32;
const SESSION_ID = /^[A-Za-z0-9_-]{43}$/;
/** Seconds between extensions by use (spec/identity.md 3.3). */
const EXTEND_EVERY = 60;
/** Days a logout is remembered: longer than any delegated token lives. */
const LOGOUT_DAYS = 30;

const columns = sql`client, attributes, (extract(epoch from since) * 1000)::float8 as since,
  (extract(epoch from expires) * 1000)::float8 as expires`;

/** Opens the store on a migrated database. */
export function sessionStore(database: Database, times: SessionTimes): SessionStore {
  const { idleSeconds, absoluteSeconds, now } = times;
  const read = (id: string, statement: (connection: Connection, hash: Buffer) => Promise<readonly SessionRow[]>) =>
    SESSION_ID.test(id)
      ? onIdentityDatabase(database, async (connection) => {
          const hash = credentialHash(id);
          const [row] = await statement(connection, hash);
          return row === undefined ? null : contextOfRow(row, hash);
        })
      : Promise.resolve(null);
  const extension = (hash: Buffer): Sql => sql`
    update auth_session set expires = least(${at(now() + idleSeconds * 1000)}::timestamptz, absolute_expires)
    where key_hash = ${hash} and expires > ${at(now())}::timestamptz returning ${columns}`;
  return {
    begin: (client, attributes) =>
      onIdentityDatabase(database, async (connection) => {
        const id = randomBytes(ID_BYTES).toString('base64url');
        const hash = credentialHash(id);
        const start = now();
        await connection.execute(sql`delete from auth_session where expires < ${at(start)}::timestamptz`);
        await connection.execute(
          sql`delete from auth_logout where at < ${at(start - LOGOUT_DAYS * 86_400_000)}::timestamptz`,
        );
        const [row] = await connection.query<SessionRow>(sql`
          insert into auth_session (key_hash, client, attributes, since, expires, absolute_expires)
          values (${hash}, ${JSON.stringify(toClientDocument(client))}::jsonb,
            ${JSON.stringify(attributes.map(toAttributeDocument))}::jsonb, ${at(start)}::timestamptz,
            ${at(start + Math.min(idleSeconds, absoluteSeconds) * 1000)}::timestamptz,
            ${at(start + absoluteSeconds * 1000)}::timestamptz)
          returning ${columns}`);
        if (row === undefined) throw new Error('An insertion returned no row.');
        return { id, context: contextOfRow(row, hash) };
      }),
    use: (id) =>
      read(id, async (connection, hash) => {
        const found = await connection.query<SessionRow & { readonly due: boolean }>(
          sql`select ${columns}, expires < least(${at(now() + (idleSeconds - EXTEND_EVERY) * 1000)}::timestamptz, absolute_expires)
              as due
            from auth_session where key_hash = ${hash} and expires > ${at(now())}::timestamptz`,
          { prepared: 'auth_session_use' },
        );
        return found[0]?.due === true ? connection.query<SessionRow>(extension(hash)) : found;
      }),
    extend: (id) => read(id, (connection, hash) => connection.query<SessionRow>(extension(hash))),
    end: (id) =>
      onIdentityDatabase(database, async (connection) => {
        await connection.execute(sql`
          with ended as (delete from auth_session where key_hash = ${credentialHash(id)} returning key_hash)
          insert into auth_logout (key_hash, at) select key_hash, ${at(now())}::timestamptz from ended
          on conflict do nothing`);
      }),
    isLoggedOut: (key) =>
      onIdentityDatabase(database, async (connection) => {
        const rows = await connection.query(sql`select 1 from auth_logout where key_hash = ${Buffer.from(key, 'hex')}`);
        return rows.length > 0;
      }),
  };
}

function contextOfRow(row: SessionRow, hash: Buffer): ClientContext {
  return knownContext({
    client: clientDocument.parse(row.client),
    attributes: z.array(attributeDocument).parse(row.attributes),
    session: {
      kind: 'cookie',
      since: new Date(row.since),
      expires: new Date(row.expires),
      key: hash.toString('hex'),
    },
  });
}

function at(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
