/**
 * SQL of the state of a catalog as one call: what `model/catalog-state.ts` reads. PL/pgSQL keeps the plans of its queries with the
 * session; the same subselects sent as text are planned anew each time, which cost more than the row a request asked for.
 */
export const stateFunction = `
create function _catalog.state() returns text language plpgsql stable as $$
declare
  model_version timestamptz := (select ts from _catalog.snap where model order by ts desc limit 1);
  latest timestamptz := (select ts from _catalog.snap order by ts desc limit 1);
  amended timestamptz := (select ts from _catalog.amend order by ts desc limit 1);
  by_hand boolean := exists (select from _catalog.by_hand);
begin
  return concat_ws(',', _catalog.micros(model_version), _catalog.micros(latest), by_hand, _catalog.micros(amended));
end
$$;
comment on function _catalog.state is 'latest model change, latest change, whether there is a change by hand, latest amendment';`;

/**
 * SQL of the state at a snapshot: what requests at `@` read. The database as it is now counts, too: where the rows of the past stand
 * follows from the present model. `mark_at` is another text whenever something about a snapshot may be different: a request that
 * goes by what is known of it asks for no more.
 */
export const snapshotStateFunction = `
create function _catalog.mark_at(n bigint) returns text language plpgsql stable as $$
declare
  present timestamptz := (select ts from _catalog.snap where model order by ts desc limit 1);
  by_hand boolean := exists (select from _catalog.by_hand);
  snapshot timestamptz := (select ts from _catalog.snap where ts <= _catalog.at_micros(n) order by ts desc limit 1);
begin
  return concat_ws(' ', present, by_hand, snapshot, (select max(ts) from _catalog.amend where lo <= snapshot and hi > snapshot));
end
$$;
comment on function _catalog.mark_at is 'another text whenever something about the snapshot at or before an instant may be different';
create function _catalog.state_at(n bigint) returns text language plpgsql stable as $$
declare
  present timestamptz := (select ts from _catalog.snap where model order by ts desc limit 1);
  by_hand boolean := exists (select from _catalog.by_hand);
  snapshot timestamptz := (select ts from _catalog.snap where ts <= _catalog.at_micros(n) order by ts desc limit 1);
  model_version timestamptz;
  amended timestamptz;
begin
  if snapshot is null then return concat_ws(',', _catalog.micros(present), by_hand); end if;
  model_version := (select ts from _catalog.snap where model and ts <= snapshot order by ts desc limit 1);
  amended := (select max(ts) from _catalog.amend where lo <= snapshot and hi > snapshot);
  return concat_ws(',', _catalog.micros(present), by_hand, _catalog.micros(snapshot), _catalog.micros(model_version),
    snapshot >= (select since from _catalog.rows_kept), _catalog.micros(amended));
end
$$;
comment on function _catalog.state_at is 'latest model change and change by hand; the snapshot at or before an instant, its latest model change, whether its rows are kept, the latest amendment that covers it';`;
