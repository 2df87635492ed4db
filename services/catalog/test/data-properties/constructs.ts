/** A construct of the path language: a URL, the SQL it becomes for CSV, and the records it gives over the rows of the worked examples. */
export interface Construct {
  readonly url: string;
  readonly sql: string;
  /** Records after the header; `…` stands for what differs each time. */
  readonly records: readonly string[];
}

export const constructs: readonly Construct[] = [
  {
    url: 'attribute/zoo:species/id,code@sort(id)',
    sql: 'select s.c0, s.c1 from (select t0."id" as c0, t0."code" as c1 from "zoo"."species" t0) s order by s.c0',
    records: ['1,LEO', '2,EMU', '3,BOA', '4,FEL'],
  },
  {
    url: 'entity/zoo:enclosure/id=1',
    sql: `select s.c0, s.c1, s.c2, s.c3, s.c4, s.c5, s.c6, s.c7 from (select t0."RID" as c0, t0."RCT" as c1, t0."RMT" as c2, t0."RCB" as c3, t0."RMB" as c4, t0."id" as c5, t0."name" as c6, t0."opened" as c7 from "zoo"."enclosure" t0 where (t0."id" = '1'::int8)) s`,
    records: ['…,1,Savanna,2001-05-01'],
  },
  {
    url: 'attribute/zoo:animal/species_id=1/id@sort(id)',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."animal" t0 where (t0."species_id" = '1'::int8)) s order by s.c0`,
    records: ['1', '2'],
  },
  {
    url: 'attribute/zoo:animal/weight::lt::100&born::geq::2016-01-01/id',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."animal" t0 where ((t0."weight" < '100'::float8) and (t0."born" >= '2016-01-01'::timestamptz))) s`,
    records: ['2'],
  },
  {
    url: 'attribute/zoo:animal/species_id=1&name=Bo;!(id=5)/id@sort(id)',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."animal" t0 where (((t0."species_id" = '1'::int8) and (t0."name" = 'Bo'::text)) or (not (t0."id" = '5'::int8)))) s order by s.c0`,
    records: ['1', '2', '3', '4'],
  },
  {
    url: 'attribute/zoo:animal/name::null::/id',
    sql: 'select s.c0 from (select t0."id" as c0 from "zoo"."animal" t0 where (t0."name" is null)) s',
    records: ['5'],
  },
  {
    url: 'attribute/zoo:animal/id=any(1,2,99999999999999999999)/id@sort(id)',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."animal" t0 where (t0."id" = any('{"1","2","99999999999999999999"}'::numeric[]))) s order by s.c0`,
    records: ['1', '2'],
  },
  {
    url: 'attribute/zoo:animal/id::gt::all(1,2)/id@sort(id)',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."animal" t0 where (t0."id" > all('{"1","2"}'::int8[]))) s order by s.c0`,
    records: ['3', '4', '5'],
  },
  {
    url: 'attribute/zoo:animal/name::regexp::%5EA/id',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."animal" t0 where ((t0."name" ~ '^A'))) s`,
    records: ['1'],
  },
  {
    url: 'attribute/zoo:animal/born::ciregexp::any(t11,t23)/id@sort(id)',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."animal" t0 where ((to_char(t0."born" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') ~* 't11') or (to_char(t0."born" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') ~* 't23'))) s order by s.c0`,
    records: ['1', '4'],
  },
  {
    url: 'attribute/zoo:species/name::ts::lion/id',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."species" t0 where ((to_tsvector(t0."name") @@ to_tsquery('lion')))) s`,
    records: ['1'],
  },
  {
    url: 'attribute/zoo:enclosure/*::ciregexp::house/id',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."enclosure" t0 where ((coalesce((t0."RID" ~* 'house'), false) or coalesce((to_char(t0."RCT" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') ~* 'house'), false) or coalesce((to_char(t0."RMT" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') ~* 'house'), false) or coalesce((t0."RCB" ~* 'house'), false) or coalesce((t0."RMB" ~* 'house'), false) or coalesce((t0."id"::text ~* 'house'), false) or coalesce((t0."name" ~* 'house'), false) or coalesce((t0."opened"::text ~* 'house'), false)))) s`,
    records: ['2'],
  },
  {
    url: 'attribute/zoo:species/tags=cat/id',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."species" t0 where (t0."tags" && '{"cat"}'::text[])) s`,
    records: ['1'],
  },
  {
    url: 'attribute/zoo:species/tags=all(cat,big)/id',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."species" t0 where (t0."tags" @> '{"cat","big"}'::text[])) s`,
    records: ['1'],
  },
  {
    url: 'attribute/zoo:species/tags::lt::c/id@sort(id)',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."species" t0 where ((select bool_or(e < 'c'::text) from unnest(t0."tags") e))) s order by s.c0`,
    records: ['1', '2'],
  },
  {
    url: 'attribute/zoo:species/tags::regexp::%5Eb/id@sort(id)',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."species" t0 where ((select bool_or(e ~ '^b') from unnest(t0."tags") e))) s order by s.c0`,
    records: ['1', '2'],
  },
  {
    url: 'attribute/zoo:species/info=%7B%22diet%22%3A%22meat%22%7D/id',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."species" t0 where (t0."info" = '{"diet":"meat"}'::jsonb)) s`,
    records: ['1'],
  },
  {
    url: 'attribute/zoo:enclosure/RID=1x/id',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."enclosure" t0 where (t0."RID" = any('{"1x","1W"}'::text[]))) s`,
    records: [],
  },
  {
    url: 'attribute/zoo:animal/zoo:species/code@sort(code)',
    sql: 'select s.c0 from (select distinct on (t1."id") t1."code" as c0 from "zoo"."animal" t0 join "zoo"."species" t1 on (t0."species_id" = t1."id")) s order by s.c0',
    records: ['BOA', 'EMU', 'LEO'],
  },
  {
    url: 'attribute/zoo:species/A:=zoo:animal/$A/id@sort(id)',
    sql: 'select s.c0 from (select distinct on (t1."id") t1."id" as c0 from "zoo"."species" t0 join "zoo"."animal" t1 on (t0."id" = t1."species_id")) s order by s.c0',
    records: ['1', '2', '3', '4'],
  },
  {
    url: 'attribute/zoo:transfer/zoo:enclosure/id@sort(id)',
    sql: 'select s.c0 from (select distinct on (t1."id") t1."id" as c0 from "zoo"."transfer" t0 join "zoo"."enclosure" t1 on ((t0."to_id" = t1."id") or (t0."from_id" = t1."id"))) s order by s.c0',
    records: ['1', '2'],
  },
  {
    url: 'attribute/zoo:transfer/(from_id)/id@sort(id)',
    sql: 'select s.c0 from (select distinct on (t1."id") t1."id" as c0 from "zoo"."transfer" t0 join "zoo"."enclosure" t1 on (t0."from_id" = t1."id")) s order by s.c0',
    records: ['1', '2'],
  },
  {
    url: 'attribute/zoo:enclosure/(zoo:transfer:to_id)/id@sort(id)',
    sql: 'select s.c0 from (select distinct on (t1."id") t1."id" as c0 from "zoo"."enclosure" t0 join "zoo"."transfer" t1 on (t0."id" = t1."to_id")) s order by s.c0',
    records: ['1', '2', '3'],
  },
  {
    url: 'attribute/M:=zoo:animal/(mother_id)/id,child:=M:id',
    sql: 'select s.c0, s.c1 from (select distinct on (t1."id") t1."id" as c0, t0."id" as c1 from "zoo"."animal" t0 join "zoo"."animal" t1 on (t0."mother_id" = t1."id")) s',
    records: ['1,2'],
  },
  {
    url: 'attribute/zoo:census_note/(yr,site)/site,yr@sort(site,yr)',
    sql: 'select s.c0, s.c1 from (select distinct on (t1."RID") t1."site" as c0, t1."yr" as c1 from "zoo"."census_note" t0 join "zoo"."census" t1 on (t0."site" = t1."site" and t0."yr" = t1."yr")) s order by s.c0, s.c1',
    records: ['N,2020', 'N,2021'],
  },
  {
    url: 'attribute/A:=zoo:animal/S:=left(species_id)=(zoo:species:id)/$A/id,S:code@sort(id)',
    sql: 'select s.c0, s.c1 from (select t0."id" as c0, t1."code" as c1 from "zoo"."animal" t0 left join "zoo"."species" t1 on (t0."species_id" = t1."id")) s order by s.c0',
    records: ['1,LEO', '2,LEO', '3,BOA', '4,EMU', '5,'],
  },
  {
    url: 'attribute/zoo:animal/full(enclosure_id)=(zoo:enclosure:id)/id,name@sort(id)',
    sql: 'select s.c0, s.c1 from (select distinct on (t1."id") t1."id" as c0, t1."name" as c1 from "zoo"."animal" t0 full join "zoo"."enclosure" t1 on (t0."enclosure_id" = t1."id")) s order by s.c0',
    records: ['1,Savanna', '2,Reptile House', '3,Empty', ','],
  },
  {
    url: 'attribute/zoo:animal/right(enclosure_id)/id@sort(id)',
    sql: 'select s.c0 from (select distinct on (t1."id") t1."id" as c0 from "zoo"."animal" t0 right join "zoo"."enclosure" t1 on (t0."enclosure_id" = t1."id")) s order by s.c0',
    records: ['1', '2', '3'],
  },
  {
    url: 'attribute/M:=zoo:animal/(weight,name)=(zoo:species:legs,name)/id',
    sql: 'select s.c0 from (select distinct on (t1."id") t1."id" as c0 from "zoo"."animal" t0 join "zoo"."species" t1 on (t0."weight" = t1."legs" and t0."name" = t1."name")) s',
    records: [],
  },
  {
    url: 'attribute/zoo:animal/id,b:=bin(weight;2;50;100)@sort(id)',
    sql: `select s.c0, s.c1 from (select t0."id" as c0, (case when '50'::float8 >= '100'::float8 or ('50'::float8::text in ('NaN', 'Infinity', '-Infinity')) or ('100'::float8::text in ('NaN', 'Infinity', '-Infinity')) then to_jsonb(width_bucket('0'::float8, '0', '0', 1)) when t0."weight" is null then '[null, null, null]'::jsonb when t0."weight" < '50'::float8 then jsonb_build_array(0, null, '50'::float8) when t0."weight" >= '100'::float8 then jsonb_build_array('2'::int4 + 1, '100'::float8, null) else (select jsonb_build_array(b, ('50'::float8::float8 + ('100'::float8::float8 - '50'::float8::float8) * (b - 1)::float8 / '2'::float8), ('50'::float8::float8 + ('100'::float8::float8 - '50'::float8::float8) * b::float8 / '2'::float8)) from (select width_bucket(t0."weight"::float8, '50'::float8::float8, '100'::float8::float8, '2'::int4) as b) k) end) as c1 from "zoo"."animal" t0) s order by s.c0`,
    records: [
      '1,"[3, 100, null]"',
      '2,"[2, 75, 100]"',
      '3,"[0, null, 50]"',
      '4,"[null, null, null]"',
      '5,"[0, null, 50]"',
    ],
  },
  {
    url: 'attribute/zoo:enclosure/id=1/b:=bin(opened;2;2000-01-01;2010-01-01)',
    sql: `select s.c0 from (select (case when '2000-01-01'::date >= '2010-01-01'::date or (not isfinite('2000-01-01'::date)) or (not isfinite('2010-01-01'::date)) then to_jsonb(width_bucket('0'::float8, '0', '0', 1)) when t0."opened" is null then '[null, null, null]'::jsonb when t0."opened" < '2000-01-01'::date then jsonb_build_array(0, null, '2000-01-01'::date) when t0."opened" >= '2010-01-01'::date then jsonb_build_array('2'::int4 + 1, '2010-01-01'::date, null) else (select jsonb_build_array(b, ('2000-01-01'::date::timestamp + ('2010-01-01'::date::timestamp - '2000-01-01'::date::timestamp) * (b - 1)::float8 / '2'::float8), ('2000-01-01'::date::timestamp + ('2010-01-01'::date::timestamp - '2000-01-01'::date::timestamp) * b::float8 / '2'::float8)) from (select width_bucket(extract(epoch from t0."opened"::timestamp)::float8, extract(epoch from '2000-01-01'::date::timestamp)::float8, extract(epoch from '2010-01-01'::date::timestamp)::float8, '2'::int4) as b) k) end) as c0 from "zoo"."enclosure" t0 where (t0."id" = '1'::int8)) s`,
    records: ['"[1, ""2000-01-01T00:00:00"", ""2004-12-31T12:00:00""]"'],
  },
  {
    url: 'attribute/zoo:enclosure/id=1/id,trs(RID)',
    sql: `select s.c0, s.c1 from (select t0."id" as c0, '{"update":true,"delete":true}'::jsonb as c1 from "zoo"."enclosure" t0 where (t0."id" = '1'::int8)) s`,
    records: ['1,"{""delete"": true, ""update"": true}"'],
  },
  {
    url: 'attributegroup/zoo:animal/species_id@sort(species_id)',
    sql: 'select s.c0 from (select t0."species_id" as c0 from "zoo"."animal" t0 group by 1) s order by s.c0',
    records: ['1', '2', '3', ''],
  },
  {
    url: 'attributegroup/zoo:animal/species_id;n:=cnt(*),w:=max(weight),s:=sum(weight),a:=avg(weight)@sort(species_id)',
    sql: 'select s.c0, s.c1, s.c2, s.c3, s.c4 from (select t0."species_id" as c0, count(*) as c1, max(t0."weight") as c2, sum(t0."weight") as c3, avg(t0."weight") as c4 from "zoo"."animal" t0 group by 1) s order by s.c0',
    records: ['1,2,190.5,270.5,135.25', '2,1,,,', '3,1,12.25,12.25,12.25', ',1,7,7,7'],
  },
  {
    url: 'attributegroup/zoo:animal/zoo:species/code;n:=cnt_d(legs),x:=array_d(legs),name@sort(code)',
    sql: 'select s.c0, s.c1, s.c2, s.c3 from (select t1."code" as c0, count(distinct t1."legs") as c1, jsonb_agg(distinct t1."legs") as c2, _catalog.example(t1."name") as c3 from "zoo"."animal" t0 join "zoo"."species" t1 on (t0."species_id" = t1."id") group by 1) s order by s.c0',
    records: ['BOA,1,[0],Boa', 'EMU,1,[2],Emu', 'LEO,1,[4],Lion'],
  },
  {
    url: 'attributegroup/zoo:animal/b:=bin(weight;1;0;100);n:=cnt(id)@sort(b)',
    sql: `select s.c0, s.c1 from (select (case when '0'::float8 >= '100'::float8 or ('0'::float8::text in ('NaN', 'Infinity', '-Infinity')) or ('100'::float8::text in ('NaN', 'Infinity', '-Infinity')) then to_jsonb(width_bucket('0'::float8, '0', '0', 1)) when t0."weight" is null then '[null, null, null]'::jsonb when t0."weight" < '0'::float8 then jsonb_build_array(0, null, '0'::float8) when t0."weight" >= '100'::float8 then jsonb_build_array('1'::int4 + 1, '100'::float8, null) else (select jsonb_build_array(b, ('0'::float8::float8 + ('100'::float8::float8 - '0'::float8::float8) * (b - 1)::float8 / '1'::float8), ('0'::float8::float8 + ('100'::float8::float8 - '0'::float8::float8) * b::float8 / '1'::float8)) from (select width_bucket(t0."weight"::float8, '0'::float8::float8, '100'::float8::float8, '1'::int4) as b) k) end) as c0, count(t0."id") as c1 from "zoo"."animal" t0 group by 1) s order by s.c0`,
    records: ['"[null, null, null]",1', '"[1, 0, 100]",3', '"[2, 100, null]",1'],
  },
  {
    url: 'aggregate/zoo:animal/n:=cnt(*),lo:=min(born),x:=array(id)',
    sql: 'select s.c0, s.c1, s.c2 from (select count(*) as c0, min(t0."born") as c1, jsonb_agg(t0."id") as c2 from "zoo"."animal" t0) s',
    records: ['5,2015-03-11 11:32:56.12+00,"[1, 2, 3, 4, 5]"'],
  },
  {
    url: 'aggregate/zoo:enclosure/id=1/x:=array(*)',
    sql: `select s.c0 from (select jsonb_agg(case when t0.* is null then null else (select to_jsonb(w.*) from (select t0."RID", t0."RCT", t0."RMT", t0."RCB", t0."RMB", t0."id", t0."name", t0."opened") w) end) as c0 from "zoo"."enclosure" t0 where (t0."id" = '1'::int8)) s`,
    records: ['"[{""id"": 1, ""RCB"": ""alice"", …""name"": ""Savanna"", ""opened"": ""2001-05-01""}]"'],
  },
  {
    url: 'attribute/zoo:animal/id,name@sort(name::desc::,id)?limit=2',
    sql: `select s.c0, s.c1 from (select t0."id" as c0, t0."name" as c1 from "zoo"."animal" t0) s order by s.c1 desc, s.c0 limit '2'::int8`,
    records: ['5,', '3,Cleo'],
  },
  {
    url: 'attribute/zoo:animal/id@sort(id)@after(1)?limit=2',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."animal" t0) s where ((s.c0 > '1'::int8)) order by s.c0 limit '2'::int8`,
    records: ['2', '3'],
  },
  {
    url: 'attribute/zoo:animal/id,weight@sort(weight,id)@after(12.25,3)',
    sql: `select s.c0, s.c1 from (select t0."id" as c0, t0."weight" as c1 from "zoo"."animal" t0) s where (((s.c1 > '12.25'::float8 or s.c1 is null)) or (s.c1 = '12.25'::float8 and s.c0 > '3'::int8)) order by s.c1, s.c0`,
    records: ['2,80', '1,190.5', '4,'],
  },
  {
    url: 'attribute/zoo:animal/id,weight@sort(weight::desc::,id)@after(::null::,4)?limit=3',
    sql: `select s.c0, s.c1 from (select t0."id" as c0, t0."weight" as c1 from "zoo"."animal" t0) s where ((s.c1 is not null) or (s.c1 is null and s.c0 > '4'::int8)) order by s.c1 desc, s.c0 limit '3'::int8`,
    records: ['1,190.5', '2,80', '3,12.25'],
  },
  {
    url: 'attribute/zoo:animal/id,name@sort(name)@before(::null::)?limit=2',
    sql: `select s.c0, s.c1 from (select * from (select t0."id" as c0, t0."name" as c1 from "zoo"."animal" t0) s where ((s.c1 is not null)) order by s.c1 desc limit '2'::int8) s order by s.c1`,
    records: ['2,Bo', '3,Cleo'],
  },
  {
    url: 'attribute/zoo:animal/id@sort(id)@after(1)@before(4)',
    sql: `select s.c0 from (select t0."id" as c0 from "zoo"."animal" t0) s where ((s.c0 > '1'::int8)) and ((s.c0 < '4'::int8)) order by s.c0`,
    records: ['2', '3'],
  },
  {
    url: 'attribute/zoo:species/id,tags@sort(tags,id)@after(%5B%22bird%22%5D,2)',
    sql: `select s.c0, s.c1 from (select t0."id" as c0, t0."tags" as c1 from "zoo"."species" t0) s where (((s.c1 > '{"bird"}'::text[] or s.c1 is null)) or (s.c1 = '{"bird"}'::text[] and s.c0 > '2'::int8)) order by s.c1, s.c0`,
    records: ['1,"{cat,big}"', '4,'],
  },
  {
    url: 'attribute/zoo:species/id,tags@sort(id)?arrays=json&limit=2',
    sql: `select s.c0, to_json(s.c1)::text from (select t0."id" as c0, t0."tags" as c1 from "zoo"."species" t0) s order by s.c0 limit '2'::int8`,
    records: ['1,"[""cat"",""big""]"', '2,"[""bird""]"'],
  },
];

/** A change: its URL and the statements it becomes, over rows staged as JSON. */
export interface ChangeConstruct {
  readonly method: string;
  readonly url: string;
  /** Whether the input holds no NULL. */
  readonly complete?: boolean;
  readonly statements: readonly string[];
}

export const changes: readonly ChangeConstruct[] = [
  {
    method: 'POST',
    url: 'entity/zoo:enclosure',
    statements: [
      `select min("ord")::text as first, max("ord")::text as last from (select "ord", ("s".doc ->> 'id'::text)::int4 as "k0" from "pg_temp"."holdfast_stage" "s") d where "k0" is not null group by "k0" having count(*) > 1 limit 1`,
      `insert into "zoo"."enclosure" as t ("RID", "RCT", "RMT", "RCB", "RMB", "id", "name", "opened") select "s".new_rid, 'NOW'::timestamptz, 'NOW'::timestamptz, 'alice'::text, 'alice'::text, ("s".doc ->> 'id'::text)::int4, ("s".doc ->> 'name'::text)::text, ("s".doc ->> 'opened'::text)::date from (select *, _catalog.next_rid() as new_rid from "pg_temp"."holdfast_stage" i order by "ord") "s" on conflict do nothing returning t."RID", t."RCT", t."RMT", t."RCB", t."RMB", t."id", t."name", t."opened"`,
    ],
  },
  {
    method: 'PUT',
    url: 'entity/zoo:census_note',
    statements: [
      `select min("ord")::text as first, max("ord")::text as last from "pg_temp"."holdfast_stage" "s" group by ("s".doc ->> 'id'::text)::int4 having count(*) > 1 limit 1`,
      `create temporary table holdfast_matched as select "s"."ord" as ord, t."RID"::text as rid, false as fresh from "pg_temp"."holdfast_stage" "s" join "zoo"."census_note" t on t."id" = ("s".doc ->> 'id'::text)::int4 and true`,
      `update "zoo"."census_note" t set "site" = ("s".doc ->> 'site'::text)::text, "yr" = ("s".doc ->> 'yr'::text)::int4, "note" = ("s".doc ->> 'note'::text)::text, "RMT" = 'NOW'::timestamptz, "RMB" = 'alice'::text from "pg_temp"."holdfast_matched" m join "pg_temp"."holdfast_stage" "s" on "s"."ord" = m.ord where t."RID" = m.rid and not m.fresh`,
      `insert into "zoo"."census_note" ("RID", "RCT", "RMT", "RCB", "RMB", "id", "site", "yr", "note") select "s".new_rid, 'NOW'::timestamptz, 'NOW'::timestamptz, 'alice'::text, 'alice'::text, ("s".doc ->> 'id'::text)::int4, ("s".doc ->> 'site'::text)::text, ("s".doc ->> 'yr'::text)::int4, ("s".doc ->> 'note'::text)::text from (select i.*, m.rid as new_rid from "pg_temp"."holdfast_matched" m join "pg_temp"."holdfast_stage" i on i."ord" = m.ord where m.fresh order by m.ord) "s"`,
    ],
  },
  {
    method: 'PUT',
    url: 'attributegroup/zoo:species/old:=code;new:=code,legs',
    statements: [
      `select "s"."ord"::text as first from "pg_temp"."holdfast_stage" "s" where not exists (select from "zoo"."species" t where t."code" = ("s".doc ->> 'old'::text)::text and true) order by "ord" limit 1`,
      `with u as ( update "zoo"."species" t set "code" = ("s".doc ->> 'new'::text)::text, "legs" = ("s".doc ->> 'legs'::text)::int2, "RMT" = 'NOW'::timestamptz, "RMB" = 'alice'::text from "pg_temp"."holdfast_stage" "s" where t."code" = ("s".doc ->> 'old'::text)::text and true returning "s"."ord", ("s".doc ->> 'old'::text)::text as "c0", t."code" as "c1", t."legs" as "c2" ) select u."c0", u."c1", u."c2" from u order by u."ord"`,
    ],
  },
  {
    method: 'DELETE',
    url: 'entity/zoo:species/id=1/zoo:animal/weight::gt::5',
    statements: [
      `delete from "zoo"."animal" d where d."RID" in (select t1."RID" from "zoo"."species" t0 join "zoo"."animal" t1 on (t0."id" = t1."species_id") where (t0."id" = '1'::int8) and (t1."weight" > '5'::float8))`,
    ],
  },
  {
    method: 'DELETE',
    url: 'attribute/zoo:animal/id=1/weight,born',
    statements: [
      `update "zoo"."animal" d set "weight" = default, "born" = default, "RMT" = 'NOW'::timestamptz, "RMB" = 'alice'::text where d."RID" in (select t0."RID" from "zoo"."animal" t0 where (t0."id" = '1'::int8))`,
    ],
  },
  {
    method: 'PUT',
    url: 'attributegroup/zoo:animal/name;weight',
    statements: [
      `select "s"."ord"::text as first from "pg_temp"."holdfast_stage" "s" where not exists (select from "zoo"."animal" t where t."name" is not distinct from ("s".doc ->> 'name'::text)::text and true) order by "ord" limit 1`,
      `with u as ( update "zoo"."animal" t set "weight" = ("s".doc ->> 'weight'::text)::float8, "RMT" = 'NOW'::timestamptz, "RMB" = 'alice'::text from "pg_temp"."holdfast_stage" "s" where t."name" is not distinct from ("s".doc ->> 'name'::text)::text and true returning "s"."ord", ("s".doc ->> 'name'::text)::text as "c0", t."weight" as "c1" ) select u."c0", u."c1" from u order by u."ord"`,
    ],
  },
  {
    method: 'PUT',
    url: 'attributegroup/zoo:animal/name;weight',
    complete: true,
    statements: [
      `select "s"."ord"::text as first from "pg_temp"."holdfast_stage" "s" where not exists (select from "zoo"."animal" t where t."name" = ("s".doc ->> 'name'::text)::text and true) order by "ord" limit 1`,
      `with u as ( update "zoo"."animal" t set "weight" = ("s".doc ->> 'weight'::text)::float8, "RMT" = 'NOW'::timestamptz, "RMB" = 'alice'::text from "pg_temp"."holdfast_stage" "s" where t."name" = ("s".doc ->> 'name'::text)::text and true returning "s"."ord", ("s".doc ->> 'name'::text)::text as "c0", t."weight" as "c1" ) select u."c0", u."c1" from u order by u."ord"`,
    ],
  },
];
