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
        unique (name_id, job),
        check ((state = 'finalizing') = (num_nonnulls(finalizer, lease_until) = 2))
      );
      create index os_job_client on os_job (created_by);
      create index os_job_touched on os_job (touched_at);

      create table os_chunk (
        job_id bigint not null references os_job,
        n bigint not null,
        blob_id uuid not null unique references os_blob,
        bytes bigint not null,
        md5 bytea not null,
        sha256 bytea not null,
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
