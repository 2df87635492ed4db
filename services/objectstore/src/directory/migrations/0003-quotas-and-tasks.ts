import type { Migration } from '@holdfast/pg-kit';

/** Use of namespaces with a quota (spec/objectstore.md 15), and when the rare tasks of the sweeper ran last (13.5). */
export const quotasAndTasks: Migration = {
  name: '0003-quotas-and-tasks',
  up: async (knex) => {
    await knex.raw(`
      create table os_quota (
        path text collate "C" primary key,
        bytes bigint not null,
        objects bigint not null,
        -- lengths of open upload jobs
        reserved bigint not null
      );

      create table os_task (
        name text primary key,
        finished_at timestamptz not null
      );

      -- Adds to the use of every namespace with a quota above a name. The rows stay locked until the transaction ends, so that what it
      -- reads afterwards is exact. In order of paths, so that two of them cannot wait for each other.
      create function os_charge(charged_path text, more_bytes bigint, more_objects bigint, more_reserved bigint) returns void
      language plpgsql as $$
      begin
        if more_bytes = 0 and more_objects = 0 and more_reserved = 0 then return; end if;
        perform from os_quota q where starts_with(charged_path, q.path || '/') order by q.path for update;
        update os_quota q set bytes = q.bytes + more_bytes, objects = q.objects + more_objects, reserved = q.reserved + more_reserved
          where starts_with(charged_path, q.path || '/');
      end $$;

      create function os_charge_name() returns trigger language plpgsql as $$
      begin
        perform os_charge(new.path, 0, (new.kind = 'object' and new.deleted_at is null)::int
          - (case when tg_op = 'UPDATE' then (old.kind = 'object' and old.deleted_at is null)::int else 0 end), 0);
        return null;
      end $$;

      create function os_charge_version() returns trigger language plpgsql as $$
      begin
        perform os_charge((select path from os_name where id = new.name_id), (case when new.blob_id is null then 0 else new.bytes end)
          - (case when tg_op = 'UPDATE' and old.blob_id is not null then old.bytes else 0 end), 0, 0);
        return null;
      end $$;

      create function os_charge_job() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          perform os_charge((select path from os_name where id = new.name_id), 0, 0, new.content_length);
        else
          perform os_charge((select path from os_name where id = old.name_id), 0, 0, -old.content_length);
        end if;
        return null;
      end $$;
    `);
  },
};
