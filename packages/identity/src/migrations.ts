import type { Migration } from '@holdfast/pg-kit';

/** Schema of the identity database, shared by all services. */
export const identityMigrations: readonly Migration[] = [
  {
    name: '0001-sessions-and-local-users',
    up: async (knex) => {
      await knex.raw(`
        create table auth_session (
          -- SHA-256 of the cookie: the table alone lets nobody in
          key_hash bytea primary key,
          client jsonb not null,
          attributes jsonb not null,
          since timestamptz not null,
          expires timestamptz not null,
          absolute_expires timestamptz not null,
          idp_refresh bytea
        );
        create index auth_session_expires on auth_session (expires);

        -- sessions ended by their owner; an expired one is just gone (delegated tokens tell the two apart)
        create table auth_logout (
          key_hash bytea primary key,
          at timestamptz not null
        );

        create table auth_local_user (
          name text primary key,
          password_hash text not null,
          client jsonb not null,
          attributes jsonb not null,
          updated timestamptz not null default now()
        );

        -- subject: SHA-256 of a user name or address, whose plain text may be a password typed in the wrong field
        create table auth_login_failure (
          id bigint generated always as identity primary key,
          subject bytea not null,
          at timestamptz not null
        );
        create index auth_login_failure_subject on auth_login_failure (subject, at);
      `);
    },
  },
];
