export type Denial = 'auth_required' | 'forbidden';

/** The status that goes with each denial. */
export const DENIAL_STATUS: Readonly<Record<Denial, 401 | 403>> = { auth_required: 401, forbidden: 403 };

/**
 * What to answer when no list grants: a known client is told no, an unknown one is asked who it is
 * (spec/identity.md 2; 401 and 403 respectively).
 *
 * @param client the client of the request, `null` when anonymous
 */
export function deny(client: object | null): Denial {
  return client === null ? 'auth_required' : 'forbidden';
}
