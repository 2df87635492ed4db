/**
 * SQL of the list of what is to be done after changes have been committed (spec/catalog-model.md 20). The change itself writes it, so
 * that neither a crash nor a restart loses anything. It holds no history: what stands in it changes no answer.
 */
export const lateWorkTable = `
create table _catalog.late_work (
  number bigint generated always as identity primary key,
  piece jsonb not null,
  failures integer not null default 0,
  due timestamptz not null default clock_timestamp()
);
comment on table _catalog.late_work is 'indexes still to be built and constraints to be validated; due grows with the failures';`;
