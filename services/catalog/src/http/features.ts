/**
 * What the advertisement and the catalog description say this service can do. A flag of something that is not there is absent, never
 * false (spec/catalog-model.md 2): add a flag with its feature.
 */
export const features = {
  trs: true,
  tcrs: true,
  history_control: true,
  implicit_fkey_index: true,
  catalog_post_input: true,
  catalog_alias: true,
  indexing_preferences: { btree: true, btree_column_list: true, trgm: true, gin_array: true },
  quantified_value_lists: true,
  quantified_rid_lists: true,
  rid_lease: true,
  registry_catalog: true,
  csv_array_json: true,
} as const;
