import type { Migration } from '@holdfast/pg-kit';

/** Names, versions and blobs (spec/objectstore.md 13.1). */
export const namesVersionsBlobs: Migration = {
  name: '0001-names-versions-blobs',
  up: async (knex) => {
    await knex.raw(`
      create table os_name (
        id bigint generated always as identity primary key,
        parent_id bigint references os_name,
        -- all namespaces above, the root first; a path never moves, so this never changes
        ancestors bigint[] not null,
        path text collate "C" not null unique,
        kind text not null check (kind in ('namespace', 'object')),
        deleted_at timestamptz,
        acl_owner text[] not null default '{}',
        acl_create text[] not null default '{}',
        acl_read text[] not null default '{}',
        acl_update text[] not null default '{}',
        acl_subtree_owner text[] not null default '{}',
        acl_subtree_create text[] not null default '{}',
        acl_subtree_update text[] not null default '{}',
        acl_subtree_read text[] not null default '{}',
        created_at timestamptz not null default now(),
        created_by text,
        check ((parent_id is null) = (path = ''))
      );
      create index os_name_children on os_name (parent_id, path) where deleted_at is null;
      create index os_name_beneath on os_name using gin (ancestors);

      create table os_blob (
        id uuid primary key,
        adapter text not null,
        key text not null unique,
        -- of a multipart upload that has begun and may not have ended
        upload_id text,
        bytes bigint,
        md5 bytea,
        sha256 bytea,
        state text not null check (state in ('staged', 'live', 'doomed')),
        lease_until timestamptz,
        doomed_at timestamptz,
        check ((state = 'staged') = (lease_until is not null)),
        check ((state = 'doomed') = (doomed_at is not null)),
        check (state <> 'live' or bytes is not null)
      );
      create index os_blob_staged on os_blob (lease_until) where state = 'staged';
      create index os_blob_doomed on os_blob (doomed_at) where state = 'doomed';

      create table os_version (
        id bigint generated always as identity primary key,
        name_id bigint not null references os_name,
        -- order of commits, given under the lock of the name: the newest live one is current
        seq bigint not null,
        version text collate "C" not null,
        state text not null check (state in ('live', 'deleted')),
        bytes bigint not null,
        content_type text,
        disposition text,
        md5 bytea,
        sha256 bytea,
        md5_declared boolean not null,
        sha256_declared boolean not null,
        blob_id uuid references os_blob,
        -- deferred: the bytes leave the old version before the new one is there
        forward_to bigint references os_version deferrable initially deferred,
        renamed_from bigint references os_version,
        acl_owner text[] not null,
        acl_read text[] not null,
        created_at timestamptz not null default now(),
        created_by text,
        unique (name_id, version),
        unique (name_id, seq),
        -- a live version has its bytes, or says who has them
        check ((state = 'live') = (num_nonnulls(blob_id, forward_to) = 1))
      );
      create index os_version_live on os_version (name_id, seq desc) where state = 'live';
      create unique index os_version_blob on os_version (blob_id) where blob_id is not null;
    `);
  },
};
