/** The domains of column types that PostgreSQL does not have (spec/catalog-data.md 5.1). */
const textDomains = ['longtext', 'markdown', 'gene_sequence', 'uri', 'url', 'curie', 'ermrest_uri', 'ermrest_curie'];

/** SQL of the domains. */
export function domains(): string {
  return `
${textDomains.map((name) => `create domain _catalog.${name} as text;`).join('\n')}
create domain _catalog.color_rgb_hex as text check (value ~ '^#[0-9a-fA-F]{6}$');
create domain _catalog.rid as text;
create domain _catalog.rcb as text;
create domain _catalog.rmb as text;
create domain _catalog.rct as timestamptz;
create domain _catalog.rmt as timestamptz;`;
}

/** Key of the writer lock of a catalog (advisory locks are local to a database). */
export const WRITER_LOCK = '5210797465438513';

/** SQL of the tables of the bookkeeping (spec/catalog-access.md 12.1). */
export const bookkeepingTables = `
create table _catalog.elem (
  rid text not null,
  kind text not null
    check (kind in ('schema', 'table', 'column', 'key', 'foreign_key', 'acl', 'binding', 'annotation')),
  parent text not null,
  lo timestamptz not null,
  hi timestamptz not null default 'infinity',
  doc jsonb not null,
  primary key (rid, kind, lo),
  check (lo < hi)
);
create unique index elem_live on _catalog.elem (rid, kind) where hi = 'infinity';
create index elem_hi on _catalog.elem (hi);
comment on table _catalog.elem is 'one row per version of a model element, its access lists, bindings and annotations';
create table _catalog.snap (
  ts timestamptz primary key,
  client text,
  model boolean not null,
  tables text[] not null
);
create index snap_model on _catalog.snap (ts) where model;
comment on table _catalog.snap is 'the snapshots: one row per change; tables holds the RIDs of those whose rows changed';
create table _catalog.amend (
  ts timestamptz primary key,
  lo timestamptz not null,
  hi timestamptz not null,
  kind text not null,
  subject text
);
create index amend_span on _catalog.amend (lo, hi);
comment on table _catalog.amend is 'amendments, redactions and truncations of history and the span each covers';`;

/**
 * SQL of the change protocol (spec/catalog-access.md 12.5). `begin_change` is VOLATILE: each of its statements sees what is committed
 * when it starts, so the last snapshot is read after the lock is held.
 */
export const changeFunctions = `
create function _catalog.micros(ts timestamptz) returns bigint language sql immutable parallel safe as $$
  select (extract(epoch from ts) * 1000000)::bigint
$$;
create function _catalog.at_micros(n bigint) returns timestamptz language sql stable parallel safe as $$
  select timestamptz 'epoch' + (n / 1000000) * interval '1 second' + (n % 1000000) * interval '1 microsecond'
$$;
create function _catalog.begin_change(client text, lock_wait integer) returns timestamptz
language plpgsql volatile as $$
declare
  instant timestamptz;
begin
  perform set_config('lock_timeout', lock_wait::text, true);
  perform pg_advisory_xact_lock(${WRITER_LOCK});
  select greatest(
    clock_timestamp(),
    (select s.ts + interval '1 microsecond' from _catalog.snap s order by s.ts desc limit 1),
    (select a.ts + interval '1 microsecond' from _catalog.amend a order by a.ts desc limit 1)
  ) into instant;
  perform set_config('_catalog.ts', instant::text, true), set_config('_catalog.client', coalesce(client, ''), true);
  return instant;
end
$$;
create function _catalog.begin_by_hand() returns timestamptz language plpgsql volatile as $$
declare
  instant timestamptz := _catalog.begin_change(null, 10000);
begin
  insert into _catalog.snap (ts, client, model, tables) values (instant, null, false, '{}');
  return instant;
end
$$;
create function _catalog.now() returns timestamptz language sql volatile as $$
  select coalesce(nullif(current_setting('_catalog.ts', true), '')::timestamptz, _catalog.begin_by_hand())
$$;
create function _catalog.client() returns text language sql stable as $$
  select nullif(current_setting('_catalog.client', true), '')
$$;
comment on function _catalog.begin_change is 'takes the writer lock and fixes the instant of the change';
comment on function _catalog.begin_by_hand is 'the same for SQL run by hand, and records its snapshot';`;

/** SQL of the function that ties elements to their database objects, which it finds by name. */
export const identityFunctions = `
create function _catalog.tie_elements(rids text[]) returns void language plpgsql as $$
begin
  update _catalog.elem e set doc = e.doc || jsonb_build_object('oid', n.oid::bigint)
    from pg_namespace n
    where e.rid = any(rids) and e.kind = 'schema' and e.hi = 'infinity' and n.nspname = e.doc->>'name';
  update _catalog.elem e set doc = e.doc || jsonb_build_object('oid', c.oid::bigint)
    from _catalog.elem p, pg_class c
    where e.rid = any(rids) and e.kind = 'table' and e.hi = 'infinity'
      and p.rid = e.parent and p.kind = 'schema' and p.hi = 'infinity'
      and c.relnamespace = (p.doc->>'oid')::oid and c.relname = e.doc->>'name';
  update _catalog.elem e set doc = e.doc || jsonb_build_object('attnum', a.attnum)
    from _catalog.elem p, pg_attribute a
    where e.rid = any(rids) and e.kind = 'column' and e.hi = 'infinity'
      and p.rid = e.parent and p.kind = 'table' and p.hi = 'infinity'
      and a.attrelid = (p.doc->>'oid')::oid and a.attname = e.doc->>'name' and a.attnum > 0;
  update _catalog.elem e set doc = e.doc || jsonb_build_object('oid', c.oid::bigint)
    from _catalog.elem p, pg_constraint c
    where e.rid = any(rids) and e.kind in ('key', 'foreign_key') and e.hi = 'infinity'
      and p.rid = e.parent and p.kind = 'table' and p.hi = 'infinity'
      and c.conrelid = (p.doc->>'oid')::oid and c.conname = e.doc->>'name';
end
$$;`;
