import type { Migration } from '@holdfast/pg-kit';

/** Chunked upload jobs (spec/objectstore.md 10, 13.1). */
export const uploadJobs: Migration = {
  name: '0002-upload-jobs',
  up: async (knex) => {
    await knex.raw(`
      create table os_job (
        id bigint generated always as identity primary key,
        name_id bigint not null references os_name,
        job text collate "C" not null,
        chunk_length bigint not null check (chunk_length > 0),
        content_length bigint not null check (content_length >= 0),
        content_type text,
        disposition text,
        md5 bytea,
        sha256 bytea,
        -- preconditions of the creation, judged again when the job is finished
        if_match text,
        if_none_match text,
        acl_owner text[] not null,
        state text not null default 'open' check (state in ('open', 'finalizing')),
        -- who is finishing the job, and until when nobody else may
        finalizer uuid,
        lease_until timestamptz,
        created_at timestamptz not null default now(),
        touched_at timestamptz not null default now(),
        created_by text not null,
        -- the chunks are parts of a multipart upload of this blob; null: each chunk is a blob
        blob_id uuid references os_blob,
        -- the upload was, or may have been, completed: the bytes are one object and no parts
        completed boolean not null default false,
        unique (name_id, job),
        check ((state = 'finalizing') = (num_nonnulls(finalizer, lease_until) = 2))
      );
      create index os_job_client on os_job (created_by);
      create index os_job_touched on os_job (touched_at);

      create table os_chunk (
        job_id bigint not null references os_job,
        n bigint not null,
        blob_id uuid unique references os_blob,
        part_tag text,
        bytes bigint not null,
        md5 bytea not null,
        sha256 bytea not null,
        primary key (job_id, n),
        check (num_nonnulls(blob_id, part_tag) = 1)
      );

      -- who is sending a part: two transfers of one part run one after the other
      create table os_part_lease (
        job_id bigint not null references os_job on delete cascade,
        n bigint not null,
        writer uuid not null,
        lease_until timestamptz not null,
        primary key (job_id, n)
      );

      -- for a day: a client whose answer got lost may ask again
      create table os_job_outcome (
        name_id bigint not null references os_name,
        job text collate "C" not null,
        version text not null,
        acl_owner text[] not null,
        finished_at timestamptz not null default now(),
        primary key (name_id, job)
      );
      create index os_job_outcome_age on os_job_outcome (finished_at);
    `);
  },
};
