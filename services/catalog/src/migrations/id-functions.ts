/**
 * SQL of the id codec (spec/catalog-access.md 9.2). The text form is built from substrings of the alphabet, short numbers first: 0.6 µs a
 * number on PostgreSQL 18. In `next_rid` the expression stands a second time: PL/pgSQL evaluates it as a simple expression (1.1 µs
 * with the sequence), while calling `encode_id` there costs 13 µs, because a volatile argument is not inlined.
 */
export function idFunctions(): string {
  return `
create function _catalog.encode_id(n bigint) returns text language sql immutable parallel safe as $$
  select ${encoded}
$$;
create function _catalog.decode_id(id text) returns bigint language sql immutable parallel safe as $$
  select ${decoded} from (select lpad(t, 13, '0') as s from (select ${plain} as t offset 0) p
    where length(t) <= 13 and t ~ '^[0-9A-HJKMNP-TV-Z]*$' offset 0) q
$$;
create sequence _catalog.rid_seq as bigint;
create function _catalog.next_rid() returns text language plpgsql volatile as $$
declare
  n bigint := nextval('_catalog.rid_seq');
begin
  return ${encoded};
end
$$;`;
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Symbol number `index` from the right; the rightmost one carries the bit of padding. */
function symbol(index: number): string {
  const bits = index === 0 ? '(n << 1)' : `(n >> ${5 * index - 1})`;
  return `substr('${ALPHABET}', (${bits} & 31)::int + 1, 1)`;
}

function symbols(from: number, to: number): string {
  return Array.from({ length: from - to + 1 }, (_, offset) => symbol(from - offset)).join(' || ');
}

const long = `${symbol(12)} || '-' || ${symbols(11, 8)} || '-' || ${symbols(7, 4)} || '-' || ${symbols(3, 0)}`;

const encoded = `case
    when n between 1 and 524287 then ltrim(${symbols(3, 0)}, '0')
    when n between 524288 and 549755813887 then ltrim(${symbols(7, 4)} || '-' || ${symbols(3, 0)}, '0-')
    when n is null then null
    else coalesce(nullif(ltrim(${long}, '0-'), ''), '0')
  end`;

const plain = `translate(replace(id, '-', ''), 'abcdefghjkmnpqrstvwxyzOoIiLl', 'ABCDEFGHJKMNPQRSTVWXYZ001111')`;

const decoded = Array.from({ length: 13 }, (_, position) => {
  const value = `(strpos('${ALPHABET}', substr(s, ${position + 1}, 1)) - 1)::bigint`;
  return position === 12 ? `(${value} >> 1)` : `(${value} << ${59 - 5 * position})`;
}).join(' | ');
