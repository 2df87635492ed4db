import type { Attribute, ClientContext } from './client-context.js';
import { toAttributeDocument, toClientDocument } from './client-documents.js';

/**
 * What `/authn/session` says of a client (spec/identity.md 4.1). It never holds the credential. `display_name` and `identities` are
 * always there: existing clients need them (spec/profiles.md, line 1).
 * @param now milliseconds
 * @returns null for the anonymous client
 */
export function sessionDocument(context: ClientContext, now: number): object | null {
  const { client, attributes, session } = context;
  if (client === null || session === null) return null;
  const displayName = client.displayName ?? client.id;
  const own: Attribute = { id: client.id, displayName };
  const others = attributes.filter(({ id }) => id !== client.id);
  return {
    client: toClientDocument({
      ...client,
      displayName,
      identities: [...new Set([client.id, ...(client.identities ?? [])])],
    }),
    // one consumer looks for the client's own id only here
    attributes: [own, ...others].map(toAttributeDocument),
    since: instant(session.since),
    expires: session.expires === null ? null : instant(session.expires),
    seconds_remaining: session.expires === null ? null : secondsUntil(session.expires, now),
    vary_headers: ['cookie', 'authorization'],
    tracking: null,
  };
}

function instant(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}

/** Not negative: within the leeway a token is good although its time is over. */
function secondsUntil(date: Date, now: number): number {
  return Math.max(0, Math.floor((date.getTime() - now) / 1000));
}
