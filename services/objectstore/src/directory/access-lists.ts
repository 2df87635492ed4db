import {
  changeList,
  completeLists,
  type ListChange,
  type Mode,
  type ModeLists,
  type ObjectStoreOperation,
  type ResourceKind,
  supportsMode,
} from '@holdfast/acl';
import { AppError, entityTag } from '@holdfast/http-kit';
import { type Connection, type Database, identifier, retryOnCollision, sql } from '@holdfast/pg-kit';
import { authorize, type Caller } from '../authorize/rights.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import { refusingAcls } from './acl-refusal.js';
import { listColumn } from './columns.js';
import type { Conditions } from './conditions.js';
import { type DefinedPlace, findDefined } from './find-place.js';
import { findVersion } from './find-version.js';
import { listsAt } from './lists-at.js';
import { lockDefined } from './lock-name.js';

/** Whose access lists are meant: of a namespace or object, or of one version of an object. */
export interface AclAddress {
  readonly path: CanonicalPath;
  readonly version: string | null;
}

/** What a deployment makes of unusual requests (spec/objectstore.md 16). */
export interface AclRules {
  readonly unknownAclStatus: 404 | 400;
  readonly emptyOwner: 'refuse' | 'allow';
}

/** A resource with access lists, found. */
export interface AclHolder {
  readonly kind: ResourceKind;
  readonly lists: ModeLists;
  /** Table and row that hold the lists. */
  readonly row: { readonly table: 'os_name' | 'os_version'; readonly id: string };
}

/**
 * The lists of a resource, for a client who may see them; only those who may change them may (spec/objectstore.md 4.3).
 * @throws {AppError} `not_found`, `auth_required`, `forbidden`
 */
export async function readLists(connection: Connection, address: AclAddress, caller: Caller): Promise<AclHolder> {
  return openLists(connection, await findDefined(connection, address.path), address, {
    caller,
    asked: null,
    changing: false,
  });
}

/** {@link readLists} for one mode of them. */
export async function readList(
  connection: Connection,
  address: AclAddress,
  mode: string,
  caller: Caller,
  rules: AclRules,
): Promise<readonly string[]> {
  const place = await findDefined(connection, address.path);
  const asked = { mode, rules };
  return listOf(await openLists(connection, place, address, { caller, asked, changing: false }), asked);
}

/** A change of one list. */
export interface AclRequest extends AclAddress {
  readonly rules: AclRules;
  readonly mode: string;
  readonly caller: Caller;
  readonly conditions: Conditions;
  /** For a change of one entry: the state exists only while the entry is in the list (3.3). */
  readonly entry: string | null;
}

/**
 * Steps 6 to 8 of spec/objectstore.md 3.1 for a change of lists. Changes nothing.
 * @throws {AppError} the first failure
 */
export async function inspectAcl(
  connection: Connection,
  request: AclRequest,
  found?: DefinedPlace,
): Promise<AclHolder> {
  const { caller, entry } = request;
  const place = found ?? (await findDefined(connection, request.path));
  const holder = await openLists(connection, place, request, { caller, asked: request, changing: true });
  const list = listOf(holder, request);
  request.conditions.check(entry !== null && !list.includes(entry) ? null : listTagOf(list));
  return holder;
}

/**
 * Changes one list under lock, after the same checks.
 * @returns the list as it is now
 */
export async function changeAcl(
  database: Database,
  request: AclRequest,
  change: ListChange,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return retryOnCollision(() =>
    database.transaction({ signal }, async (connection) => {
      const { row, kind, lists } = await inspectAcl(connection, request, await lockDefined(connection, request.path));
      const mode = knownMode(kind, request);
      const allowOrphan = request.rules.emptyOwner === 'allow';
      const after = refusingAcls(() => changeList(mode, lists[mode] ?? [], change, { allowOrphan }));
      await connection.execute(
        sql`update ${identifier(row.table)} set ${identifier(listColumn(mode))} = ${after}::text[] where id = ${row.id}`,
      );
      return after;
    }),
  );
}

/** Tag of all lists of a resource; the order of roles does not matter. */
export function allListsTag(holder: AclHolder): string {
  const sorted = Object.entries(completeLists(holder.kind, holder.lists)).map(([mode, list]) => [
    mode,
    [...list].sort(),
  ]);
  return entityTag(JSON.stringify(Object.fromEntries(sorted)));
}

/** Tag of one list, which its entries share. */
export function listTagOf(list: readonly string[]): string {
  return entityTag(JSON.stringify([...list].sort()));
}

interface AskedMode {
  readonly mode: string;
  readonly rules: AclRules;
}

interface Access {
  readonly caller: Caller;
  /** Null: all of them. */
  readonly asked: AskedMode | null;
  readonly changing: boolean;
}

async function openLists(
  connection: Connection,
  place: DefinedPlace,
  address: AclAddress,
  access: Access,
): Promise<AclHolder> {
  const { target } = place;
  const version = address.version === null ? null : await findVersion(connection, target, address.version);
  const kind = version === null ? target.kind : 'version';
  if (access.asked !== null) knownMode(kind, access.asked);
  const operation: ObjectStoreOperation = `${access.changing ? 'change' : 'read'}-${kind}-acl`;
  authorize(operation, listsAt(place, version ?? undefined), access.caller);
  return version === null
    ? { kind, lists: target.lists, row: { table: 'os_name', id: target.id } }
    : { kind, lists: version.lists, row: { table: 'os_version', id: version.id } };
}

function listOf(holder: AclHolder, asked: AskedMode): readonly string[] {
  return holder.lists[knownMode(holder.kind, asked)] ?? [];
}

/** spec/objectstore.md 8.1: a mode the kind of resource does not have is not there, for every method. */
function knownMode(kind: ResourceKind, { mode, rules }: AskedMode): Mode {
  if (supportsMode(kind, mode)) return mode;
  const code = rules.unknownAclStatus === 400 ? 'bad_request' : 'not_found';
  throw new AppError(code, `This is no access list of the kind of resource: ${kind}.`);
}
