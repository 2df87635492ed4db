import { WRITER_LOCK } from './bookkeeping.js';

/**
 * SQL of the triggers of a captured table (spec/catalog-access.md 12.4). Old rows are written by statement, with a list of columns made
 * whenever the model changes; rows that the same change wrote have lived no time at all and are skipped. A cascade leaves RMT as
 * it was, and SQL by hand may set anything: the row trigger sets it, and costs the statements of the service, which set it themselves,
 * next to nothing.
 *
 * SQL by hand has a lock of its table before it asks for the writer lock, and a change of the service takes the two in the other order.
 * PostgreSQL does not see the deadlock, since DDL waits for a tenth of a second at a time: whoever works by hand looks for it.
 */
export const historyTriggers = `
create or replace function _catalog.begin_by_hand() returns timestamptz language plpgsql volatile as $$
declare
  patience timestamptz := clock_timestamp() + interval '10 seconds';
  instant timestamptz;
begin
  while not pg_try_advisory_xact_lock(${WRITER_LOCK}) loop
    if exists (
      with recursive ahead (pid) as (
        select l.pid from pg_locks l
         where l.locktype = 'advisory' and l.granted and l.objsubid = 1
           and l.database = (select oid from pg_database where datname = current_database())
           and l.classid::bigint << 32 | l.objid::bigint = ${WRITER_LOCK}
        union
        select blocking from ahead, unnest(pg_blocking_pids(ahead.pid)) as blocking)
      select from ahead where pid = pg_backend_pid()) then
      raise exception 'a change of the catalog waits for what this transaction uses' using errcode = 'deadlock_detected',
        hint = 'Run the transaction again.';
    end if;
    if clock_timestamp() > patience then
      raise exception 'other changes of this catalog take long' using errcode = 'lock_not_available';
    end if;
    perform pg_sleep(0.01);
  end loop;
  instant := _catalog.begin_change(null, 10000);
  insert into _catalog.snap (ts, client, model, tables) values (instant, null, false, '{}');
  perform set_config('_catalog.by_hand', 'on', true);
  return instant;
end
$$;
${beginStatement()}
create function _catalog.touch_row() returns trigger language plpgsql as $$
begin
  new."RMT" := _catalog.now();
  new."RMB" := _catalog.client();
  return new;
end
$$;
comment on function _catalog.touch_row is 'sets the system columns of a row that a cascade or SQL by hand changes';

${writeCapture()}
create function _catalog.end_capture(table_rid text, relation regclass, since timestamptz, instant timestamptz) returns void
language plpgsql as $$
begin
  if relation is not null then
    if (select count(*) from pg_attribute where attrelid = relation and attname in ('RID', 'RMT') and not attisdropped) = 2 then
      perform _catalog.copy_live(table_rid, relation, since, instant, false);
    end if;
    execute format('drop trigger if exists _catalog_begin on %s', relation);
    execute format('drop trigger if exists _catalog_touch on %s', relation);
    execute format('drop trigger if exists _catalog_update on %s', relation);
    execute format('drop trigger if exists _catalog_delete on %s', relation);
  end if;
  execute format('drop function if exists _catalog.%I()', 'capture_' || table_rid);
  update _catalog.capture set epoch = 'infinity', columns = '' where rid = table_rid;
end
$$;
comment on function _catalog.end_capture is 'the table is gone, or its rows are no longer captured';`;

/**
 * SQL of what every statement on a captured table begins with. Until the service has looked at what was renamed by hand, a statement by
 * hand could write values under the columns that had their names before: it is refused.
 */
export function beginStatement(): string {
  return `
create or replace function _catalog.require_names(table_rid text, relation regclass) returns void language plpgsql as $$
begin
  if exists (
    select from _catalog.elem c
      join pg_attribute a on a.attrelid = relation and a.attnum = (c.doc->>'attnum')::integer
     where c.parent = table_rid and c.kind = 'column' and c.hi = 'infinity' and not a.attisdropped and a.attname <> c.doc->>'name')
    and (select mark from _catalog.origin) = _catalog.present_origin() then
    raise exception 'columns of % were renamed by hand, and the service does not know yet', relation
      using errcode = 'object_not_in_prerequisite_state',
            hint = 'Commit the change with _catalog.model_changed(), send any request for the catalog, and go on.';
  end if;
end
$$;
comment on function _catalog.require_names is 'fails when columns are not called what the model thinks';
create or replace function _catalog.begin_statement() returns trigger language plpgsql as $$
declare
  instant timestamptz := _catalog.now();
begin
  if current_setting('_catalog.by_hand', true) = 'on' then
    update _catalog.snap set tables = tables || tg_argv[0] where ts = instant and not tables @> array[tg_argv[0]];
    if tg_op <> 'INSERT' then perform _catalog.require_names(tg_argv[0], tg_relid); end if;
  end if;
  if tg_op = 'TRUNCATE' then
    perform _catalog.copy_live(c.rid, tg_relid, c.epoch, instant, false) from _catalog.capture c where c.rid = tg_argv[0];
  end if;
  return null;
end
$$;
comment on function _catalog.begin_statement is 'takes the writer lock for SQL by hand and records its snapshot; keeps rows from TRUNCATE';`;
}

/** SQL of what makes the triggers of a table. A column of it may be called like the variable of the function that they call. */
export function writeCapture(): string {
  return `
create or replace function _catalog.write_capture(table_rid text, relation regclass, since timestamptz) returns void language plpgsql as $$
declare
  history text := format('_catalog.%I', 'h_' || table_rid);
  body text := format('_catalog.%I', 'capture_' || table_rid);
  birth text := case when since = '-infinity' then 'o."RMT"' else format('greatest(o."RMT", %L::timestamptz)', since) end;
  missing text;
  targets text;
  sources text;
begin
  select string_agg(format('%I', stored), ', '), string_agg(format('o.%I', live), ', '),
         string_agg(format('%I %s', stored, declared), ', ')
    into targets, sources, missing from _catalog.history_columns(table_rid);
  if to_regclass(history) is null then
    execute format('create table %s (%s, lo timestamptz not null, hi timestamptz not null)', history, missing);
    execute format('create index %I on %s ("RID", lo)', 'h_' || table_rid || '_rid', history);
    execute format('create index %I on %s (hi)', 'h_' || table_rid || '_hi', history);
  else
    select string_agg(format('add column if not exists %I %s', stored, declared), ', ') into missing
      from _catalog.history_columns(table_rid) c
     where not exists (select from pg_attribute a where a.attrelid = history::regclass and a.attname = c.stored);
    if missing is not null then execute format('alter table %s %s', history, missing); end if;
  end if;
  execute format('create or replace function %s() returns trigger language plpgsql as %L', body, format(
    '#variable_conflict use_variable
     declare instant timestamptz := _catalog.now();
     begin
       insert into %s (%s, lo, hi) select %s, %s, instant from old_rows o where %s < instant;
       return null;
     end', history, targets, sources, birth, birth));
  if not exists (select from pg_trigger where tgrelid = relation and tgname = '_catalog_begin') then
    execute format('create trigger _catalog_begin before insert or update or delete or truncate on %s
      for each statement execute function _catalog.begin_statement(%L)', relation, table_rid);
    execute format('create trigger _catalog_update after update on %s referencing old table as old_rows
      for each statement execute function %s()', relation, body);
    execute format('create trigger _catalog_delete after delete on %s referencing old table as old_rows
      for each statement execute function %s()', relation, body);
  end if;
  if not exists (select from pg_trigger where tgrelid = relation and tgname = '_catalog_touch') then
    execute format('create trigger _catalog_touch before update on %s
      for each row when (new."RMT" <= old."RMT" or current_setting(''_catalog.by_hand'', true) = ''on'')
      execute function _catalog.touch_row()', relation);
  end if;
end
$$;
comment on function _catalog.write_capture is 'makes or renews the history relation, the function and the triggers of a table';`;
}
