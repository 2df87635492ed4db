/** A server as a rule of placement sees it. */
export interface ServerLoad {
  readonly name: string;
  /** How many catalogs are on it, those included that are being made or not dropped yet. */
  readonly catalogs: number;
}

/**
 * Chooses the server of a new catalog, by name. To add a rule, write one and give it a name in {@link placementRules}; the operator
 * chooses with `CATALOG_PLACEMENT`. Catalogs stay where they were made.
 * @param servers in the order of `CATALOG_SERVERS`
 */
export type PlacementRule = (servers: readonly [ServerLoad, ...ServerLoad[]]) => string;

/** The server with the fewest catalogs; among equals, the one listed first. */
export const fewestCatalogs: PlacementRule = ([first, ...others]) =>
  others.reduce((best, server) => (server.catalogs < best.catalogs ? server : best), first).name;

/** The server listed last: a new one takes all new catalogs, the others keep what they have. */
export const lastListed: PlacementRule = (servers) => servers.reduce((_, server) => server).name;

/** Names of the rules, for the configuration. */
export const placementRuleNames = ['fewest_catalogs', 'last_listed'] as const;

/** The rules by name. */
export const placementRules: Readonly<Record<(typeof placementRuleNames)[number], PlacementRule>> = {
  fewest_catalogs: fewestCatalogs,
  last_listed: lastListed,
};
