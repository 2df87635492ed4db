import { AppError, denied, entityTag, sendEmpty } from '@holdfast/http-kit';
import { type Connection, retryOnCollision, sql } from '@holdfast/pg-kit';
import { type AmendedElement, amend, findAmended, type StoredDocument } from '../history/amend.js';
import { beginChange, type Change } from '../history/change.js';
import { type HistoryRange, historyRange } from '../history/history-range.js';
import { findColumn, type RedactionFilter, redact } from '../history/redact.js';
import { truncate } from '../history/truncate.js';
import { type ColumnType, scalarOf } from '../model/column-types.js';
import { constantText } from '../model/constant-text.js';
import { parseExact } from '../model/exact-numbers.js';
import { captureMarks } from '../model/history-capture.js';
import { encodeId } from '../model/id-codec.js';
import type { Json } from '../model/model.js';
import { amendedDocument } from './amended-document.js';
import type { CatalogHandler, CatalogRequest } from './catalog-request.js';
import { rolesDigest } from './entity-tags.js';
import type { HistoryFilter, HistoryPart, HistoryTarget } from './history-target.js';
import type { Methods } from './methods.js';
import { requiredJson } from './model-answers.js';
import { answeredByPreconditions, sendTagged, setTag } from './tagged-answer.js';

/** What a history resource does for each method (spec/catalog-access.md 10). */
export function historyResource(target: HistoryTarget): Methods<CatalogHandler> {
  const GET: CatalogHandler = (context) => readRange(context, target);
  const { part } = target;
  switch (part.kind) {
    case 'range':
      return { GET, DELETE: (context) => truncateHistory(context, target) };
    case 'acl':
    case 'acl_binding':
    case 'annotation':
      return { GET, PUT: (context) => amendHistory(context, target, part) };
    case 'attribute':
      return { GET, DELETE: (context) => redactHistory(context, target, part) };
    default:
      return part satisfies never;
  }
}

async function readRange(context: CatalogRequest, { range, part }: HistoryTarget): Promise<void> {
  const { request, response, profile, catalog, signal } = context;
  if (part.kind !== 'range') requireOwner(context);
  const found = await catalog.database.transaction(
    { signal, isolation: 'repeatable read', readOnly: true },
    async (connection) => {
      if (part.kind === 'acl' || part.kind === 'acl_binding' || part.kind === 'annotation')
        requireKind(await findAmended(connection, part.subject), part);
      if (part.kind === 'attribute') {
        await findColumn(connection, part.column);
        if (part.filter !== null) await findColumn(connection, part.filter.column);
      }
      return historyRange(connection, range);
    },
  );
  const tag = rangeTag(context, found);
  if (answeredByPreconditions(request, response, profile, tag)) return;
  sendTagged(request, response, 200, tag, {
    amendver: found.amendment === null ? null : encodeId(found.amendment),
    snaprange: [encodeId(found.first), encodeId(found.last)],
  });
}

type ConfigurationPart = Extract<HistoryPart, { readonly kind: 'acl' | 'acl_binding' | 'annotation' }>;

async function amendHistory(context: CatalogRequest, target: HistoryTarget, part: ConfigurationPart): Promise<void> {
  requireOwner(context);
  const json = await requiredJson(context);
  await changeHistory(context, target, async (connection, change) => {
    const element = await findAmended(connection, part.subject);
    requireKind(element, part);
    const document = amendedDocument(part.kind, element.kind, json);
    await amend(connection, change, target.range, {
      element,
      configuration: part.kind === 'acl_binding' ? 'binding' : part.kind,
      replacement: (before) => filled(part.kind === 'annotation' ? { ...document, ...marksOf(before) } : document),
    });
  });
}

/** Whether the rows of a table are captured is no matter of amendments (spec/catalog-access.md 10.3). */
function marksOf(annotations: StoredDocument | null): StoredDocument {
  // annotations of the bookkeeping are JSON
  return annotations === null ? {} : captureMarks(annotations as Readonly<Record<string, Json>>);
}

/** An empty document stands for none. */
function filled(document: StoredDocument): StoredDocument | null {
  return Object.keys(document).length === 0 ? null : document;
}

/** Which elements have what (spec/catalog-access.md 10.1). */
function requireKind({ kind }: AmendedElement, part: ConfigurationPart): void {
  const hasIt =
    part.kind === 'annotation' ||
    (part.kind === 'acl' ? kind !== 'key' : kind === 'table' || kind === 'column' || kind === 'foreign_key');
  if (hasIt) return;
  throw new AppError(
    'conflict',
    `A ${kind.replace('_', ' ')} has no ${part.kind === 'acl' ? 'access lists' : 'bindings'}.`,
  );
}

async function redactHistory(
  context: CatalogRequest,
  target: HistoryTarget,
  part: Extract<HistoryPart, { readonly kind: 'attribute' }>,
): Promise<void> {
  requireOwner(context);
  const filter = part.filter === null ? null : redactionFilter(part.filter);
  await changeHistory(context, target, async (connection, change) => {
    await redact(connection, change, target.range, { column: part.column, filter });
  });
}

/** The value is JSON; anything else is taken for the text itself (spec/catalog-access.md 10.4). */
function redactionFilter({ column, value }: HistoryFilter): RedactionFilter {
  const json = parsedOr(value);
  return {
    column,
    textFor: (type) => {
      if (json === null) return null;
      return isText(type) && isNumber(value) ? value : constantText(type, json);
    },
  };
}

function isText(type: ColumnType): boolean {
  return type.kind === 'scalar' && scalarOf(type).storage === 'text';
}

/** Compared with texts a number is what was written: a RID may be 1E3, and is not 1000 then. */
function isNumber(text: string): boolean {
  return /^-?\d[-+.\deE]*$/.test(text);
}

function parsedOr(text: string): Json {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

async function truncateHistory(context: CatalogRequest, target: HistoryTarget): Promise<void> {
  const { from, to } = target.range;
  if (from !== null || to === null)
    throw new AppError('bad_range', 'History is removed from its beginning up to a snapshot: DELETE history/,<until>.');
  requireOwner(context);
  await changeHistory(context, target, async (connection, change) => {
    await truncate(connection, change, to);
  });
}

/** Changes history under the writer lock, without a snapshot; answered with 204. */
async function changeHistory(
  context: CatalogRequest,
  { range }: HistoryTarget,
  work: (connection: Connection, change: Change) => Promise<void>,
): Promise<void> {
  const { request, response, profile, catalog, client, models, settings, signal } = context;
  const changed = await retryOnCollision(() =>
    catalog.database.transaction({ signal }, async (connection) => {
      const change = await beginChange(connection, client.client?.id ?? null, settings.lockWaitMilliseconds);
      await connection.execute(
        sql`select set_config('statement_timeout', ${String(settings.writeMilliseconds)}, true)`,
      );
      const { model } = await models.current(catalog.database, catalog.key, { connection });
      requireOwner({ ...context, model });
      const before = await historyRange(connection, range);
      if (answeredByPreconditions(request, response, profile, rangeTag(context, before)))
        throw new AppError('internal', 'A change was answered like a read.');
      await work(connection, change);
      return historyRange(connection, range);
    }),
  );
  setTag(response, rangeTag(context, changed));
  sendEmpty(response, 204);
}

function requireOwner({ rights, model, client }: Pick<CatalogRequest, 'rights' | 'model' | 'client'>): void {
  if (rights.always(model, 'owner')) return;
  throw denied(client.client === null, 'Changing the history of a catalog is for its owners.');
}

function rangeTag({ catalog, client }: CatalogRequest, { first, last, amendment }: HistoryRange): string {
  return entityTag('history', catalog.key, `${first} ${last}-${amendment ?? ''}`, rolesDigest(client.roles));
}
