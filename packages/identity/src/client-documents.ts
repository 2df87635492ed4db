import { isRoleId } from '@holdfast/acl';
import { z } from 'zod';
import type { Attribute, Client } from './client-context.js';

const roleId = z.string().refine(isRoleId, 'must be usable in access lists: not empty, not "*", no control characters');

/** A client as documents write it (configuration, session rows, delegated tokens). */
export const clientDocument = z
  .object({
    id: roleId,
    display_name: z.string().optional(),
    full_name: z.string().optional(),
    email: z.string().optional(),
    identities: z.array(roleId).optional(),
  })
  .transform(
    ({ id, display_name, full_name, email, identities }): Client => ({
      id,
      ...(display_name === undefined ? {} : { displayName: display_name }),
      ...(full_name === undefined ? {} : { fullName: full_name }),
      ...(email === undefined ? {} : { email }),
      ...(identities === undefined ? {} : { identities }),
    }),
  );

/** An attribute as documents write it. */
export const attributeDocument = z
  .object({ id: roleId, display_name: z.string().optional() })
  .transform(
    ({ id, display_name }): Attribute => (display_name === undefined ? { id } : { id, displayName: display_name }),
  );

/** Members without a value are left out by `JSON.stringify`. */
export function toClientDocument(client: Client) {
  return {
    id: client.id,
    display_name: client.displayName,
    full_name: client.fullName,
    email: client.email,
    identities: client.identities,
  };
}

/** The document form of an attribute. */
export function toAttributeDocument(attribute: Attribute) {
  return { id: attribute.id, display_name: attribute.displayName };
}
