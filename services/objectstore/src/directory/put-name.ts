import { type ModeLists, parseInitialLists } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { type Connection, type Database, retryOnCollision, sql } from '@holdfast/pg-kit';
import type { Caller } from '../authorize/rights.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import { refusingAcls } from './acl-refusal.js';
import type { Conditions } from './conditions.js';
import { decidePut, type PutDecision, type PutIntent } from './decide-put.js';
import { findPlace } from './find-place.js';
import { findCurrentVersion } from './find-version.js';
import { insertNames } from './insert-names.js';
import { insertVersion, type NewContent } from './insert-version.js';
import { namespaceTag } from './list-children.js';
import { type Quotas, watchQuotas } from './quotas.js';
import type { NameRecord, Place } from './records.js';

/** A PUT of a name, without its body. */
export interface PutRequest {
  readonly path: CanonicalPath;
  readonly intent: PutIntent;
  readonly caller: Caller;
  readonly conditions: Conditions;
  /** The JSON of the initial ACL header; undefined without one. */
  readonly initialAcls: unknown;
}

/** What a PUT may do now; it must be asked again under lock when it is done. */
export type AcceptedPut = Exclude<PutDecision, { readonly kind: 'taken' }> & { readonly given: ModeLists | undefined };

/** What a PUT made. */
export type PutOutcome = { readonly kind: 'namespace' } | { readonly kind: 'version'; readonly version: string };

/**
 * Steps 6 to 9 of spec/objectstore.md 3.1 for a PUT: resolve, authorize, preconditions, conflicts. Changes nothing.
 * @throws {AppError} the first failure
 */
export async function inspectPut(connection: Connection, request: PutRequest, found?: Place): Promise<AcceptedPut> {
  const place = found ?? (await findPlace(connection, request.path));
  const decision = decidePut(place, request.intent, request.caller);
  if (request.conditions.present) request.conditions.check(await tagOf(connection, decision));
  if (decision.kind === 'taken') throw decision.conflict;
  return { ...decision, given: givenLists(decision, request.initialAcls) };
}

/**
 * Step 11: the same checks under lock, then the namespace, or the object with its new version, in one transaction.
 * @param content null for a namespace
 */
export async function commitPut(
  database: Database,
  request: PutRequest,
  content: NewContent | null,
  quotas: Quotas,
  signal: AbortSignal,
): Promise<PutOutcome> {
  return retryOnCollision(() =>
    database.transaction({ signal }, async (connection) => {
      const quota = await watchQuotas(connection, quotas, request.path);
      const { name, made } = await bindName(connection, request);
      if (content === null && name.kind === 'object')
        throw new AppError('name_in_use', 'The name became an object in the meantime.');
      const version = content === null ? null : await insertVersion(connection, name, made, content, request.caller);
      await quota.check();
      return version === null ? { kind: 'namespace' } : { kind: 'version', version };
    }),
  );
}

/** A name that a transaction has locked or made. */
export interface BoundName {
  readonly name: NameRecord;
  readonly made: boolean;
}

/** Each failed attempt means that somebody else made one of the names on the path. */
const MOST_ATTEMPTS = 70;

/** The object as it is, locked, or the name made with what is missing above it; after all checks. */
export async function bindName(connection: Connection, request: PutRequest): Promise<BoundName> {
  const { caller, path } = request;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const accepted = await inspectPut(connection, request, await lockedPlace(connection, path));
    if (accepted.kind === 'update') return { name: accepted.object, made: false };
    if (accepted.kind === 'revive') {
      if (await reviveName(connection, accepted.deleted)) return { name: accepted.deleted, made: false };
      continue;
    }
    const last = { path, kind: accepted.make, given: accepted.given };
    const name = await insertNames(connection, accepted.parent, accepted.missing, last, caller);
    if (name !== null) return { name, made: true };
  }
  throw new AppError('unavailable', 'Others kept creating names on this path; try again.');
}

/** @returns false when somebody else was faster */
async function reviveName(connection: Connection, deleted: NameRecord): Promise<boolean> {
  const revived = await connection.execute(
    sql`update os_name set deleted_at = null where id = ${deleted.id} and deleted_at is not null`,
  );
  return revived === 1;
}

/**
 * The place with a lock on what the change depends on: the object itself, or the namespace nearest above, which then cannot
 * be deleted before the new child is there (spec/objectstore.md 14).
 */
async function lockedPlace(connection: Connection, path: CanonicalPath): Promise<Place> {
  let locked: string | null = null;
  for (;;) {
    const place = await findPlace(connection, path);
    const { target } = place;
    const updated = target !== null && !target.deleted && target.kind === 'object';
    const holder = updated ? target : place.above.filter((name) => !name.deleted).at(-1);
    if (holder === undefined || holder.id === locked) return place;
    await connection.query(
      updated
        ? sql`select from os_name where id = ${holder.id} for no key update`
        : sql`select from os_name where id = ${holder.id} for key share`,
    );
    locked = holder.id;
  }
}

/** The tag of the state a PUT is judged by: the current version, or the listing of a namespace (3.3). */
async function tagOf(connection: Connection, decision: PutDecision): Promise<string | null> {
  switch (decision.kind) {
    case 'create':
    case 'revive':
      return null;
    case 'update': {
      const current = await findCurrentVersion(connection, decision.object);
      return current === null ? null : `"${current.version}"`;
    }
    case 'taken':
      return decision.by.deleted ? null : namespaceTag(connection, decision.by);
  }
}

function givenLists(decision: Exclude<PutDecision, { kind: 'taken' }>, json: unknown): ModeLists | undefined {
  if (json === undefined) return undefined;
  if (decision.kind !== 'create')
    throw new AppError('bad_request', 'The object exists: change its lists under ;acl, not by the initial ACL header.');
  return refusingAcls(() => parseInitialLists(decision.make, json));
}
