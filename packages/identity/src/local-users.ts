import { isRoleId } from '@holdfast/acl';
import { type Database, migrate, sql } from '@holdfast/pg-kit';
import { z } from 'zod';
import type { Attribute, Client } from './client-context.js';
import { attributeDocument, clientDocument, toAttributeDocument, toClientDocument } from './client-documents.js';
import { onIdentityDatabase } from './identity-database.js';
import { identityMigrations } from './migrations.js';
import { hashPassword, passwordFits } from './passwords.js';

/** Who a local user is; kept as it was when left out. */
export interface LocalUser {
  /** For a new user: id and display name are the user name when left out. */
  readonly client?: Client;
  readonly attributes?: readonly Attribute[];
}

/** A login that succeeded. */
export interface LoggedIn {
  readonly client: Client;
  readonly attributes: readonly Attribute[];
}

/**
 * Sets the password of a local user, whom it makes if need be. For operators and tests: there is no way to it over HTTP.
 * Sessions that are open stay open.
 * @param database the identity database; brought to the newest schema first
 * @throws {TypeError} for a name that cannot be a client id and an empty password
 */
export async function setLocalPassword(
  database: Database,
  name: string,
  password: string,
  user: LocalUser = {},
): Promise<void> {
  const { client = { id: name, displayName: name }, attributes = [] } = user;
  if (name === '' || !isRoleId(client.id)) throw new TypeError('This name cannot be used for a user.');
  if (password === '') throw new TypeError('The password is empty.');
  await migrate(database, identityMigrations);
  const hash = await hashPassword(password);
  const clientJson = JSON.stringify(toClientDocument(client));
  const attributesJson = JSON.stringify(attributes.map(toAttributeDocument));
  await onIdentityDatabase(database, (connection) =>
    connection.execute(sql`
      insert into auth_local_user (name, password_hash, client, attributes)
      values (${name}, ${hash}, ${clientJson}::jsonb, ${attributesJson}::jsonb)
      on conflict (name) do update set password_hash = excluded.password_hash, updated = now(),
        client = case when ${user.client !== undefined} then excluded.client else auth_local_user.client end,
        attributes = case when ${user.attributes !== undefined} then excluded.attributes else auth_local_user.attributes end`),
  );
}

/** The user with this name and password, or null, which takes as long for an unknown name as for a wrong password. */
export async function findLocalUser(database: Database, name: string, password: string): Promise<LoggedIn | null> {
  const [row] = await onIdentityDatabase(database, (connection) =>
    connection.query<{ readonly password_hash: string; readonly client: unknown; readonly attributes: unknown }>(
      sql`select password_hash, client, attributes from auth_local_user where name = ${name}`,
    ),
  );
  const fits = await passwordFits(password, row?.password_hash ?? null);
  if (!fits || row === undefined) return null;
  return { client: clientDocument.parse(row.client), attributes: z.array(attributeDocument).parse(row.attributes) };
}
