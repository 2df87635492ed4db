import { type RightsEvaluator, systemColumnInsert } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { type Connection, identifier, inline, type Sql, sql } from '@holdfast/pg-kit';
import { leaseTableOf } from '../model/builtin-tables.js';
import type { InsertPlan } from '../plan/insert-plan.js';
import type { Staging } from '../sql/stage-sql.js';
import { tableName } from '../sql/table-source.js';

/** RIDs that a client brings with its rows (spec/catalog-data.md 6.3, 6.4). */
export interface SuppliedRids {
  /** Before the insertion: they must be RIDs, and leased by the client unless it owns the catalog. */
  check(connection: Connection): Promise<void>;
  /**
   * After it: leases are used up, and the sequence goes on behind the greatest RID.
   * @returns RID of the lease table if rows of it are gone
   */
  settle(connection: Connection): Promise<readonly string[]>;
}

/** Null when the service assigns the RIDs. */
export function suppliedRids(
  plan: InsertPlan,
  staging: Staging,
  who: { readonly rights: RightsEvaluator; readonly client: string | null },
): SuppliedRids | null {
  const column = plan.fromInput.find(({ system }) => system === 'RID');
  if (column === undefined) return null;
  const rid = staging.value(column, identifier('s'));
  const leases = leaseTableOf(plan.table.parent.parent);
  const needsLease = systemColumnInsert(who.rights, column) === 'leased';
  return {
    check: async (connection) => {
      const odd = await firstOf(
        connection,
        sql`select ${rid}::text as rid from ${staging.source} s where ${rid} is not null and _catalog.decode_id(${rid}) is null limit 1`,
      );
      if (odd !== null)
        throw new AppError(
          'conflict',
          `${JSON.stringify(odd)} is no RID; use RIDs leased from this catalog or taken from another one.`,
        );
      if (!needsLease) return;
      const leased =
        leases === null
          ? sql`false`
          : sql`exists (select from ${tableName(leases)} l where l."RID" = ${rid} and l."RCB" = ${who.client}::text)`;
      const missing = await firstOf(
        connection,
        sql`select coalesce(${rid}::text, '') as rid from ${staging.source} s where (${leased}) is not true limit 1`,
      );
      if (missing !== null)
        throw new AppError(
          'forbidden',
          `The RID ${JSON.stringify(missing)} is not leased by you; lease RIDs by posting rows to the lease table.`,
        );
    },
    settle: async (connection) => {
      const used =
        // rows that are put into the lease table itself are leases, and use up none
        leases === null || leases === plan.table
          ? 0
          : await connection.execute(
              sql`delete from ${tableName(leases)} l using ${staging.source} s where l."RID" = ${rid} and l."RCB" = ${who.client}::text`,
            );
      await connection.client.query(
        inline(
          sql`select setval('_catalog.rid_seq', m.greatest) from (select max(_catalog.decode_id(${rid})) as greatest from ${staging.source} s) m, _catalog.rid_seq q where m.greatest > q.last_value`,
        ),
      );
      return leases === null || used === 0 ? [] : [leases.rid];
    },
  };
}

async function firstOf(connection: Connection, statement: Sql): Promise<string | null> {
  const { rows } = await connection.client.query<{ rid: string }>(inline(statement));
  return rows[0]?.rid ?? null;
}
