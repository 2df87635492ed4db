/** SQL of the functions that statements over data use. */
export const dataFunctions = `
create function _catalog.keep_first(state anyelement, value anyelement) returns anyelement
language sql immutable strict parallel safe as 'select $1';
create aggregate _catalog.example(anyelement) (
  sfunc = _catalog.keep_first, stype = anyelement, combinefunc = _catalog.keep_first, parallel = safe
);
comment on aggregate _catalog.example(anyelement) is 'some value that is not NULL, if there is one';
create function _catalog.json_items(value jsonb) returns text[] language plpgsql immutable parallel safe as $$
begin
  if value is null or value = 'null' then return null; end if;
  if jsonb_typeof(value) <> 'array' then
    raise exception 'an array column takes a JSON array or null, not %', left(value::text, 100) using errcode = '22023';
  end if;
  return array(select jsonb_array_elements_text(value));
end
$$;
create function _catalog.json_documents(value jsonb) returns jsonb[] language plpgsql immutable parallel safe as $$
begin
  if value is null or value = 'null' then return null; end if;
  if jsonb_typeof(value) <> 'array' then
    raise exception 'an array column takes a JSON array or null, not %', left(value::text, 100) using errcode = '22023';
  end if;
  return array(select jsonb_array_elements(value));
end
$$;
create function _catalog.array_literal(value text, documents boolean) returns text
language plpgsql immutable parallel safe as $$
begin
  if value is null or value like '{%' then return value; end if;
  if left(ltrim(value), 1) <> '[' then
    raise exception 'an array field is an array literal or a JSON array, not %', left(value, 100) using errcode = '22023';
  end if;
  return case when documents then _catalog.json_documents(value::jsonb)::text else _catalog.json_items(value::jsonb)::text end;
end
$$;
comment on function _catalog.array_literal(text, boolean) is 'PostgreSQL text of an array that may be given as JSON';`;
