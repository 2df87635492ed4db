import { historyTriggers } from './history-triggers.js';

/**
 * SQL of the row history (spec/catalog-access.md 12.1 to 12.4, design C): one relation `h_<table RID>` per captured table with its dead row
 * versions, written by triggers of the table. Relations and columns are named by RID, so renames and moves of tables touch nothing.
 */
export const rowHistory = `
create index elem_lo on _catalog.elem (lo);
create index elem_parent on _catalog.elem (parent) where hi = 'infinity';
create table _catalog.capture (
  rid text primary key,
  epoch timestamptz not null,
  columns text not null
);
comment on table _catalog.capture is
  'tables with history: since when the live rows tell their own past (infinity: not any more), and what the triggers write';
create table _catalog.rows_kept (since timestamptz not null);
insert into _catalog.rows_kept select coalesce(max(ts), '-infinity') from _catalog.snap;
comment on table _catalog.rows_kept is 'first snapshot whose rows can be read; later than the first one in a catalog of an older layout';

create function _catalog.live_relation(table_rid text) returns regclass language sql stable as $$
  select to_regclass(format('%I.%I', s.doc->>'name', t.doc->>'name'))
    from _catalog.elem t
    join _catalog.elem s on s.rid = t.parent and s.kind = 'schema' and s.hi = 'infinity'
   where t.rid = table_rid and t.kind = 'table' and t.hi = 'infinity' and t.doc->>'relation' = 'table'
$$;
create function _catalog.is_captured(table_rid text) returns boolean language sql stable as $$
  select not exists (
           select from _catalog.elem a, jsonb_each(a.doc) as annotation
            where a.rid = table_rid and a.kind = 'annotation' and a.hi = 'infinity'
              and annotation.key ~ '^tag:[^,]+,2020:history-capture$' and annotation.value = 'false')
     and (select count(*) from _catalog.elem c
           where c.parent = table_rid and c.kind = 'column' and c.hi = 'infinity'
             and (c.doc->>'name', c.doc->>'type')
                 in (('RID', 'rid'), ('RCT', 'rct'), ('RMT', 'rmt'), ('RCB', 'rcb'), ('RMB', 'rmb'))) = 5
$$;
create function _catalog.history_column(column_rid text, doc jsonb) returns text language sql immutable as $$
  select case when doc->>'name' in ('RID', 'RCT', 'RMT', 'RCB', 'RMB') then doc->>'name'
              when coalesce(doc->>'storage', '1') = '1' then 'c_' || column_rid
              else 'c_' || column_rid || '_' || (doc->>'storage') end
$$;
comment on function _catalog.history_column is 'name of a column in the history of its table: a new one after each change of its type';
create function _catalog.declared_type(type oid) returns text language sql stable as $$
  select case type when 'pg_catalog.bpchar'::regtype then 'pg_catalog.bpchar' else format_type(type, null) end
$$;
create function _catalog.history_columns(table_rid text)
returns table (stored text, live text, declared text) language sql stable as $$
  select _catalog.history_column(c.rid, c.doc), c.doc->>'name', _catalog.declared_type(a.atttypid)
    from (select _catalog.live_relation(table_rid) as oid offset 0) as relation
   cross join _catalog.elem c
    join pg_attribute a on a.attrelid = relation.oid and a.attname = c.doc->>'name' and a.attnum > 0 and not a.attisdropped
   where c.parent = table_rid and c.kind = 'column' and c.hi = 'infinity'
   order by a.attnum
$$;
${copying()}
${historyTriggers}
${renewing()}
select _catalog.renew_capture(rid, '-infinity') from _catalog.elem where kind = 'table' and hi = 'infinity';`;

/**
 * Where live rows stop telling their own past, they are copied into the history as if they had died, and the epoch of the table moves
 * to that instant (12.3). `keep_rows` is for the operator, who is to call it before dropping or converting a column by hand.
 */
function copying(): string {
  return `
create function _catalog.copy_live(table_rid text, relation regclass, since timestamptz, instant timestamptz, retyped boolean)
returns void language plpgsql as $$
declare
  history regclass := format('_catalog.%I', 'h_' || table_rid)::regclass;
  targets text;
  sources text;
begin
  with pairs as (
    select stored, format('l.%I', live) as source from _catalog.history_columns(table_rid)
    union all
    select _catalog.history_column(before.rid, before.doc),
           format('l.%I::%s', c.doc->>'name', _catalog.declared_type(old.atttypid))
      from _catalog.elem c
      join _catalog.elem before on before.rid = c.rid and before.kind = 'column' and before.hi = instant
      join pg_attribute old on old.attrelid = history and old.attname = _catalog.history_column(before.rid, before.doc)
     where retyped and c.parent = table_rid and c.kind = 'column' and c.hi = 'infinity'
       and before.doc->>'storage' is distinct from c.doc->>'storage')
  select string_agg(format('%I', p.stored), ', '), string_agg(p.source, ', ') into targets, sources
    from pairs p
    join pg_attribute a on a.attrelid = history and a.attname = p.stored and not a.attisdropped;
  execute format('insert into %s (%s, lo, hi) select %s, greatest(l."RMT", $1), $2 from %s l where greatest(l."RMT", $1) < $2',
    history, targets, sources, relation) using since, instant;
end
$$;
create function _catalog.move_epoch(table_rid text, instant timestamptz) returns void language plpgsql as $$
declare
  since timestamptz := (select epoch from _catalog.capture where rid = table_rid);
  relation regclass := _catalog.live_relation(table_rid);
begin
  if since >= instant or since is null or relation is null then return; end if;
  perform _catalog.copy_live(table_rid, relation, since, instant, false);
  update _catalog.capture set epoch = instant, columns = '' where rid = table_rid;
end
$$;
comment on function _catalog.move_epoch is 'to be called before live rows lose a part of their past: a column is dropped or converted, a table dropped';
${keepRows()}`;
}

/**
 * SQL of `keep_rows`. The trigger of the table tells which one it is, whatever it is called now. What the triggers capture from then on,
 * in the same transaction or before the service looks, begins with the copy.
 */
export function keepRows(): string {
  return `
create or replace function _catalog.keep_rows(relation regclass) returns void language plpgsql as $$
declare
  table_rid text := (select convert_from(btrim(tgargs, '\\000'), 'UTF8') from pg_trigger
                      where tgrelid = relation and tgname = '_catalog_begin');
  instant timestamptz := _catalog.now();
begin
  perform _catalog.model_changed();
  if table_rid is null or (select epoch from _catalog.capture where rid = table_rid) >= instant then return; end if;
  if _catalog.live_relation(table_rid) is distinct from relation then
    raise exception '% was renamed or moved by hand, and the service does not know yet', relation
      using errcode = 'object_not_in_prerequisite_state', hint = 'Call keep_rows before the table is renamed.';
  end if;
  perform _catalog.require_names(table_rid, relation);
  perform _catalog.move_epoch(table_rid, instant);
  perform _catalog.write_capture(table_rid, relation, instant);
end
$$;
comment on function _catalog.keep_rows is
  'to be called by hand before a table or one of its columns is dropped, or the type of a column changed, in the same transaction';`;
}

/**
 * Brings the history of tables in line with the model, in the transaction of the change. What was dropped or converted by hand, without
 * \`keep_rows\`, is lost for the past as far as only live rows had it; old values of converted columns are converted back if they can be.
 */
function renewing(): string {
  return `
create function _catalog.lost_columns(table_rid text, instant timestamptz) returns boolean language sql stable as $$
  select exists (
    select from _catalog.elem before
      left join _catalog.elem c on c.rid = before.rid and c.kind = 'column' and c.hi = 'infinity'
     where before.parent = table_rid and before.kind = 'column' and before.hi = instant
       and (c.rid is null or c.doc->>'storage' is distinct from before.doc->>'storage'))
$$;
create function _catalog.renew_capture(table_rid text, instant timestamptz) returns void language plpgsql as $$
declare
  relation regclass := _catalog.live_relation(table_rid);
  captured boolean := relation is not null and _catalog.is_captured(table_rid);
  known _catalog.capture := (select c from _catalog.capture c where c.rid = table_rid);
  since timestamptz := known.epoch;
  present text;
begin
  if not captured then
    if known.epoch < 'infinity' then perform _catalog.end_capture(table_rid, relation, known.epoch, instant); end if;
    return;
  end if;
  select string_agg(format('%I %I %s', stored, live, declared), ', ' order by stored) into present
    from _catalog.history_columns(table_rid);
  if known.rid is null then
    since := case when exists (select from _catalog.elem where rid = table_rid and kind = 'table' and lo < instant)
                  then instant else '-infinity' end;
  elsif since = 'infinity' then
    since := instant;
  elsif since < instant and _catalog.lost_columns(table_rid, instant) then
    begin
      perform _catalog.copy_live(table_rid, relation, since, instant, true);
    exception when others then
      perform _catalog.copy_live(table_rid, relation, since, instant, false);
    end;
    since := instant;
  end if;
  if present is not distinct from known.columns and since = known.epoch then return; end if;
  perform _catalog.write_capture(table_rid, relation, since);
  insert into _catalog.capture (rid, epoch, columns) values (table_rid, since, present)
    on conflict (rid) do update set epoch = excluded.epoch, columns = excluded.columns;
end
$$;
comment on function _catalog.renew_capture is 'brings the history relation and the triggers of a table in line with the model';
create function _catalog.follow_model(instant timestamptz) returns void language plpgsql as $$
begin
  update _catalog.elem c
     set doc = c.doc || jsonb_build_object('storage', coalesce((before.doc->>'storage')::integer, 1) + 1)
    from _catalog.elem before
   where c.kind = 'column' and c.lo = instant and c.hi = 'infinity'
     and before.rid = c.rid and before.kind = 'column' and before.hi = instant
     and before.doc->>'type' <> c.doc->>'type' and before.doc->>'storage' is not distinct from c.doc->>'storage';
  perform _catalog.renew_capture(changed.rid, instant)
    from (select rid from _catalog.elem where kind in ('table', 'annotation') and (lo = instant or hi = instant)
          union
          select parent from _catalog.elem where kind = 'column' and (lo = instant or hi = instant)) as changed
   where exists (select from _catalog.elem t where t.rid = changed.rid and t.kind = 'table');
end
$$;
comment on function _catalog.follow_model is 'brings the history of the tables that a change of the model has touched in line with it';`;
}
