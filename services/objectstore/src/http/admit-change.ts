import type { FirewallList } from '@holdfast/acl';
import { refuseContentCoding } from '@holdfast/http-kit';
import { passFirewall } from '../authorize/rights.js';
import type { Exchange } from './exchange.js';

/**
 * What every change has to pass before anything is looked up: the service-wide list, then the coding of its body
 * (spec/objectstore.md 3.1, steps 4 and 5).
 * @throws {AppError} `auth_required`, `forbidden`, `bad_encoding`
 */
export function admitChange({ request, parts, caller }: Exchange, list: FirewallList): void {
  passFirewall(list, parts.settings.firewall, caller);
  refuseContentCoding(request);
}
