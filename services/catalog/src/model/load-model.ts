import { AppError } from '@holdfast/http-kit';
import { type Connection, type Sql, sql } from '@holdfast/pg-kit';
import { buildModel } from './build-model.js';
import { withoutUncaptured } from './captured-rows.js';
import type { ElementRow } from './element-rows.js';
import { parseExact } from './exact-numbers.js';
import type { Model } from './model.js';

/**
 * Reads the model of the live catalog as the connection sees it.
 * @param version snapshot of the latest model change, in microseconds since 1970
 */
export async function loadModel(connection: Connection, version: bigint): Promise<Model> {
  return buildModel(version, await readElements(connection, sql`hi = 'infinity'`));
}

/**
 * Reads the model as it was at an instant, with the tables whose rows were captured then.
 * @param instant microseconds since 1970
 */
export async function loadModelAt(connection: Connection, instant: bigint): Promise<Model> {
  const at = sql`_catalog.at_micros(${instant})`;
  return buildModel(instant, withoutUncaptured(await readElements(connection, sql`lo <= ${at} and hi > ${at}`)));
}

async function readElements(connection: Connection, condition: Sql): Promise<readonly ElementRow[]> {
  const rows = await connection.query<ElementRow & { readonly exact_default: string | null }>(
    sql`select rid, kind, parent, doc,
               case when kind = 'column' and doc->>'default' ~ '[0-9.]{16}' then (doc->'default')::text end as exact_default
          from _catalog.elem where ${condition}`,
  );
  if (rows.length === 0) throw new AppError('internal', 'The catalog has no model; its creation was not finished.');
  return rows.map(({ exact_default: text, ...row }) =>
    text === null || row.kind !== 'column' ? row : { ...row, doc: { ...row.doc, default: parseExact(text) } },
  );
}
