import { WILDCARD } from '@holdfast/acl';
import { contextOf } from '@holdfast/http-kit';
import type { Exchange } from './exchange.js';

/** Everybody as owner is allowed, but hardly ever meant: it goes into the log (spec/objectstore.md 8.2). */
export function warnOfPublicOwner({ request }: Exchange, mode: string, list: readonly string[]): void {
  if (mode === 'owner' && list.includes(WILDCARD))
    contextOf(request).log.warn({ target: request.originalUrl.slice(0, 2048) }, 'everybody is an owner now');
}
