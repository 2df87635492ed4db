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
