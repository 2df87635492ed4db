import { parseArgs } from 'node:util';
import { endWhenTold, parseEnvironment, processVariables, wireProfile } from '@holdfast/http-kit';
import { measureHistory, truncateByAge } from './history/age-limit.js';
import { catalogLayouts } from './registry/catalog-layouts.js';
import { openCatalogServers } from './registry/catalog-servers.js';
import { forEveryCatalog } from './registry/every-catalog.js';
import { openRegistry } from './registry/registry.js';
import { catalogVariables } from './variables.js';

/**
 * The command `truncate-history`: removes from all catalogs what was gone before a time, or says what that would free. A line
 * of JSON for each catalog on standard output, the sums in the last one. Ends with 0, with 1 when it did not work for some catalog,
 * with 2 when it could not run, with 143 or 130 when it was told to end before that: catalogs it had said something of are done.
 */
const USAGE = `Usage: truncate-history --older-than DAYS | --before TIME [--apply]
TIME is written as 2026-01-31T00:00:00Z. Without --apply nothing is removed: it says what would be.`;
const DAY_MILLISECONDS = 86_400_000;

endWhenTold('truncate-history');
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`truncate-history: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}

async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'older-than': { type: 'string' },
      before: { type: 'string' },
      apply: { type: 'boolean', default: false },
    },
  });
  const horizon = horizonOf(values['older-than'], values.before);
  const config = parseEnvironment({ ...processVariables, ...catalogVariables }, process.env);
  const profile = wireProfile(config.WIRE_PROFILE, config.WIRE_PROFILE_OVERRIDES);
  const registry = await openRegistry({
    url: config.REGISTRY_DATABASE_URL,
    maxConnections: 2,
    schemaName: profile.registrySchema,
    tablePrefix: profile.builtinTablePrefix,
  });
  const servers = openCatalogServers(config.CATALOG_SERVERS, profile.builtinTablePrefix);
  const parts = { registry, servers, layouts: catalogLayouts(profile.builtinTablePrefix) };
  const sums = { catalogs: 0, failed: 0, snapshots: 0, rowVersions: 0, bytes: 0 };
  try {
    await forEveryCatalog(
      parts,
      async (id, database) => {
        const freed = await (values.apply ? truncateByAge(database, horizon) : measureHistory(database, horizon));
        sums.catalogs += 1;
        sums.snapshots += freed.snapshots;
        sums.rowVersions += freed.rowVersions;
        sums.bytes += freed.bytes;
        tell({ kind: 'catalog', id, ...freed });
      },
      (id, error) => {
        sums.failed += 1;
        tell({ kind: 'failure', id, detail: error instanceof Error ? error.message : String(error) });
      },
    );
  } finally {
    await Promise.all([servers.close(), registry.close()]);
  }
  tell({ kind: 'sums', applied: values.apply, ...sums });
  return sums.failed === 0 ? 0 : 1;
}

/** In microseconds since 1970. */
function horizonOf(days: string | undefined, time: string | undefined): bigint {
  const milliseconds =
    days === undefined
      ? Date.parse(time ?? '')
      : Date.now() - (Number(days) > 0 ? Number(days) : Number.NaN) * DAY_MILLISECONDS;
  if (!Number.isFinite(milliseconds) || (days === undefined) === (time === undefined)) throw new Error(USAGE);
  return BigInt(Math.round(milliseconds)) * 1000n;
}

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
