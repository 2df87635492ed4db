import { ownerListGrants, parseAccessList, WILDCARD } from '@holdfast/acl';
import { AppError, denied } from '@holdfast/http-kit';
import type { Client, ClientContext } from '@holdfast/identity';
import { z } from 'zod';
import type { Json } from '../model/model.js';
import { fromAclError, parseDocument } from '../model/parse-document.js';

/** What a client asks of a new catalog (spec/catalog-model.md 3.2). */
export interface CatalogInput extends EntryInput {
  readonly cloneSource: string | null;
  readonly annotations: Readonly<Record<string, Json>>;
}

/** What a client asks of a new alias (4.1). */
export interface AliasInput extends EntryInput {
  readonly aliasTarget: string | null;
}

/** What both have. */
export interface EntryInput {
  /** Null: the service chooses a serial number. */
  readonly id: string | null;
  readonly owner: readonly string[];
  readonly name: string | null;
  readonly description: string | null;
  /** Null: the deployment's default. */
  readonly isPersistent: boolean | null;
}

/** What a client asks of an alias that is there; undefined leaves a part as it is. */
export interface AliasUpdate {
  readonly id: string | undefined;
  readonly owner: readonly string[] | undefined;
  readonly target: string | null | undefined;
  readonly name: string | null | undefined;
  readonly description: string | null | undefined;
  readonly isPersistent: boolean | undefined;
}

const text = z.string('must be a string').refine((value) => !value.includes('\u0000'), 'must not contain U+0000');
const optionalText = text.nullish().transform((value) => value ?? null);
const entryFields = {
  id: z.union([z.string(), z.number().int()], 'must be a string').nullish(),
  owner: z.unknown().optional(),
  name: optionalText,
  description: optionalText,
  is_persistent: z.boolean('must be true or false').nullish(),
};
const catalogDocument = z.object({
  ...entryFields,
  clone_source: optionalText,
  annotations: z.record(z.string(), z.json(), 'must be an object').nullish(),
});
const aliasDocument = z.object({ ...entryFields, alias_target: optionalText });
const aliasUpdateDocument = z.object({
  id: entryFields.id,
  owner: z.unknown().optional(),
  alias_target: text.nullable().optional(),
  name: text.nullable().optional(),
  description: text.nullable().optional(),
  is_persistent: entryFields.is_persistent,
});

/** Reads the body of POST catalog; empty for none. */
export function parseCatalogInput(json: unknown, client: Client): CatalogInput {
  const document = parseDocument(catalogDocument, json ?? {}, 'The catalog');
  return {
    ...entryInput(document, client),
    cloneSource: document.clone_source,
    annotations: document.annotations ?? {},
  };
}

/** Reads the body of POST alias. */
export function parseAliasInput(json: unknown, client: Client): AliasInput {
  const document = parseDocument(aliasDocument, json ?? {}, 'The alias');
  return { ...entryInput(document, client), aliasTarget: document.alias_target };
}

/** Reads the body of PUT alias: an absent member changes nothing. */
export function parseAliasUpdate(json: unknown): AliasUpdate {
  const document = parseDocument(aliasUpdateDocument, json ?? {}, 'The alias');
  const { owner } = document;
  return {
    id: document.id === undefined || document.id === null ? undefined : String(document.id),
    owner: owner === undefined || owner === null ? undefined : ownerList(owner),
    target: document.alias_target,
    name: document.name,
    description: document.description,
    isPersistent: document.is_persistent ?? undefined,
  };
}

/** Whether somebody may make catalogs and aliases at all. */
export function requireCreator(client: ClientContext, createRoles: readonly string[]): Client {
  if (client.client === null) throw denied(true, 'Creating catalogs and aliases needs a login.');
  if (createRoles.some((role) => client.roles.has(role))) return client.client;
  throw denied(false, 'Creating catalogs and aliases is for certain roles; ask the operator for one of them.');
}

/** The owner list must let its maker in, and `*` does not count (2.7). */
export function requireOwnership(owner: readonly string[], client: ClientContext): void {
  if (ownerListGrants(owner, client.roles)) return;
  throw new AppError('conflict', 'The owner list leaves you out; add your own id or one of your groups.');
}

function entryInput(
  document: z.output<typeof aliasDocument> | z.output<typeof catalogDocument>,
  client: Client,
): EntryInput {
  const { id, owner } = document;
  return {
    id: id === undefined || id === null ? null : entryId(String(id)),
    owner: owner === undefined || owner === null ? [client.id] : ownerList(owner),
    name: document.name,
    description: document.description,
    isPersistent: document.is_persistent ?? null,
  };
}

function entryId(id: string): string {
  if (/^[A-Za-z0-9._~-]{1,63}$/.test(id)) return id;
  throw new AppError('bad_name', 'An id has 1 to 63 characters out of letters, digits and . _ ~ -');
}

function ownerList(json: unknown): readonly string[] {
  try {
    const list = parseAccessList(json, { pointer: '/owner' });
    if (list.includes(WILDCARD)) throw new AppError('bad_acl', 'An owner list may not hold "*".');
    return list;
  } catch (error) {
    throw fromAclError(error);
  }
}
