/**
 * SQL of what an operator calls after changing the database by hand (spec/catalog-model.md 17). The call leaves a mark that commits with
 * the change; the next request finds it and compares. It takes no lock: the operator holds locks of tables already, and a writer of
 * the service takes the two in the other order.
 *
 * Elements are tied to their database objects by OID. A dump that is restored elsewhere has other OIDs; `origin` tells, because the
 * bookkeeping's own tables have other ones then, too. A copy of a template keeps them.
 */
export const changesByHand = `
create table _catalog.by_hand (
  number bigint generated always as identity primary key,
  ts timestamptz not null default clock_timestamp(),
  role text not null default session_user
);
comment on table _catalog.by_hand is 'changes by hand that the service has not looked at yet';
create function _catalog.model_changed() returns void language sql volatile as $$
  insert into _catalog.by_hand default values
$$;
comment on function _catalog.model_changed is 'to be called in the transaction that changes schemas, tables or views by hand';
create function _catalog.present_origin() returns text language sql stable as $$
  select string_agg(name::regclass::oid::text, ' ')
    from unnest(array['_catalog.elem', '_catalog.snap', '_catalog.rid_seq']) as name
$$;
create table _catalog.origin (mark text not null);
insert into _catalog.origin select _catalog.present_origin();
comment on table _catalog.origin is 'the database in which the OIDs of elem hold';`;
