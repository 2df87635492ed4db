import type { Migration } from '@holdfast/pg-kit';

/** The schema of the export database, forward only (spec/export.md 13.1). */
export const exportMigrations: readonly Migration[] = [
  {
    name: '0001-exports',
    up: async (knex) => {
      await knex.raw(`
        create table ex_export (
          id uuid primary key,
          -- null: made by an anonymous client
          owner text,
          owner_name text,
          readers text[] not null,
          kind text not null check (kind in ('file', 'bag')),
          state text not null check (state in ('queued', 'running', 'completed', 'failed', 'cancelled')),
          attempt integer not null default 0,
          request jsonb not null,
          -- what its URLs start with
          export_url text not null,
          created timestamptz not null default now(),
          -- since when it waits for a worker
          queued timestamptz not null default now(),
          -- when it was last put into the queue
          enqueued timestamptz,
          started timestamptz,
          finished timestamptz,
          expires timestamptz,
          lease_until timestamptz,
          progress jsonb not null,
          error jsonb
        );
        create index ex_export_unfinished on ex_export (state, queued) where state in ('queued', 'running');
        create index ex_export_owner on ex_export (owner, created desc);

        create table ex_output (
          export_id uuid not null references ex_export on delete cascade,
          ordinal integer not null,
          path text not null,
          object_version_url text not null,
          bytes bigint not null,
          content_type text not null,
          md5 text not null,
          sha256 text not null,
          primary key (export_id, ordinal),
          unique (export_id, path)
        );

        create table ex_credential (
          export_id uuid primary key references ex_export on delete cascade,
          key_id text not null,
          sealed text not null,
          expires timestamptz not null
        );

        -- appended to and never rewritten, so that a long log costs no more per line than a short one
        create table ex_log (
          export_id uuid not null references ex_export on delete cascade,
          seq bigint generated always as identity,
          text text not null,
          primary key (export_id, seq)
        );`);
    },
  },
  {
    name: '0002-turns-and-retention',
    up: async (knex) => {
      await knex.raw(`
        alter table ex_export
          -- whose turn it takes: the owner, or the address of an anonymous client
          add column share text,
          -- when its turn came; null: it waits for earlier exports of the same share
          add column admitted timestamptz,
          add column idempotency_key text,
          add column request_digest text,
          -- until when somebody is known to wait for it; infinity: it goes on by itself
          add column watched_until timestamptz,
          -- when what failed runs had stored was removed
          add column cleaned timestamptz;
        update ex_export set share = coalesce(owner, 'anonymous'), admitted = queued;
        alter table ex_export alter column share set not null;
        create unique index ex_export_idempotency on ex_export (share, idempotency_key) where idempotency_key is not null;
        create index ex_export_share on ex_export (share, created desc);
        create index ex_export_expires on ex_export (expires) where expires is not null;
        create index ex_export_residue on ex_export (finished) where cleaned is null and finished is not null;`);
    },
  },
];
