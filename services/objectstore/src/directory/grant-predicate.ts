import { OBJECT_STORE_GRANTS, type ObjectStoreOperation } from '@holdfast/acl';
import { identifier, join, type Sql, sql } from '@holdfast/pg-kit';
import type { Caller } from '../authorize/rights.js';
import { listColumn } from './columns.js';

/**
 * The grant table as a condition over many rows at once: `n` is the `os_name` of the namespace or object, `v` the `os_version`.
 * Made from the same table that decides about single resources.
 * @param name alias of the `os_name`, if it is not `n`
 */
export function grantPredicate(operation: ObjectStoreOperation, caller: Caller, name = 'n'): Sql {
  const roles = sql`${[...caller.roles]}::text[]`;
  const conditions = OBJECT_STORE_GRANTS[operation].map(({ on, mode }) => {
    const column = listColumn(mode);
    if (on === 'namespace' || on === 'object') return sql`${identifier(name, column)} && ${roles}`;
    if (on !== 'ancestors') return sql`${identifier(ALIASES[on], column)} && ${roles}`;
    return sql`exists (select from os_name a where a.id = any(${identifier(name, 'ancestors')}) and ${identifier('a', column)} && ${roles})`;
  });
  return sql`(${join(conditions, ' or ')})`;
}

const ALIASES: Readonly<Record<'version' | 'job', string>> = {
  version: 'v',
  job: 'j',
};
