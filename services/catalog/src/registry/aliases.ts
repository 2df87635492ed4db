import { ownerListGrants } from '@holdfast/acl';
import { AppError, denied } from '@holdfast/http-kit';
import type { ClientContext } from '@holdfast/identity';
import type { Connection, Database } from '@holdfast/pg-kit';
import { type ClaimParts, claimEntry } from './claim-entry.js';
import { withCreationLock } from './creation-lock.js';
import { markAliasDeleted, updateAlias } from './entry-changes.js';
import { type AliasInput, type AliasUpdate, requireOwnership } from './entry-input.js';
import type { Registry } from './registry.js';
import { findEntry, type RegistryEntry } from './registry-entry.js';

/** An entry that is an alias, or the claim of a creation that did not finish, which behaves like one. */
export type AliasEntry = RegistryEntry & { readonly kind: 'alias' };

/** Creates an alias, or reserves an id for one (spec/catalog-model.md 4.1). */
export async function createAlias(
  parts: ClaimParts & { readonly creationLocks: Database },
  client: ClientContext & { readonly client: { readonly id: string } },
  input: AliasInput,
): Promise<Pick<AliasEntry, 'id' | 'owner' | 'target'>> {
  requireOwnership(input.owner, client);
  const { registry, creationLocks } = parts;
  const id = await withCreationLock(creationLocks, input.id, () =>
    registry.change(client.client.id, async (connection) => {
      if (input.aliasTarget !== null) await requireTarget(registry, connection, input.aliasTarget);
      const wanted = { ...input, isPersistent: input.isPersistent ?? true, cloneSource: null, storage: null };
      return claimEntry(parts, connection, wanted, client);
    }),
  );
  return { id, owner: input.owner, target: input.aliasTarget };
}

/**
 * The alias with an id, for a client that is in its owner list.
 * @throws {AppError} `not_found` when there is none, or when the id is that of a catalog
 */
export async function findOwnAlias(
  registry: Registry,
  connection: Connection,
  id: string,
  client: ClientContext,
): Promise<AliasEntry> {
  const entry = await findEntry(registry, connection, id);
  if (entry?.kind !== 'alias') throw new AppError('not_found', `There is no alias ${JSON.stringify(id)}.`);
  if (ownerListGrants(entry.owner, client.roles)) return entry;
  throw denied(client.client === null, `The alias ${JSON.stringify(id)} belongs to somebody else.`);
}

/**
 * Changes an alias.
 * @param check is given the alias as it is, under the lock of the registry, and throws to refuse
 */
export async function changeAlias(
  registry: Registry,
  client: ClientContext,
  id: string,
  update: AliasUpdate,
  check: (alias: AliasEntry) => void,
): Promise<AliasEntry> {
  return registry.change(client.client?.id ?? null, async (connection) => {
    const alias = await findOwnAlias(registry, connection, id, client);
    check(alias);
    const owner = update.owner ?? alias.owner;
    const target = update.target === undefined ? alias.target : update.target;
    requireOwnership(owner, client);
    if (target !== null && target !== alias.target) await requireTarget(registry, connection, target);
    const next = {
      ...alias,
      owner,
      target,
      name: update.name === undefined ? alias.name : update.name,
      description: update.description === undefined ? alias.description : update.description,
      isPersistent: update.isPersistent ?? alias.isPersistent,
    };
    await updateAlias(registry, connection, id, next);
    return next;
  });
}

/** Deletes an alias; the catalog it is bound to stays. */
export async function deleteAlias(
  registry: Registry,
  client: ClientContext,
  id: string,
  check: (alias: AliasEntry) => void,
): Promise<void> {
  await registry.change(client.client?.id ?? null, async (connection) => {
    check(await findOwnAlias(registry, connection, id, client));
    await markAliasDeleted(registry, connection, id);
  });
}

/** Chains of aliases are not followed, so a target is a catalog. Binding grants nothing on it, so it need not be visible. */
async function requireTarget(registry: Registry, connection: Connection, target: string): Promise<void> {
  const entry = await findEntry(registry, connection, target);
  if (entry?.kind === 'catalog') return;
  throw new AppError('conflict', `alias_target: there is no catalog ${JSON.stringify(target)}.`);
}
