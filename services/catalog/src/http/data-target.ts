import type { QueryParams } from '@holdfast/path-grammar';

/** A parsed data URL of one kind of resource. */
export interface DataTarget<Resource> {
  readonly resource: Resource;
  readonly query: QueryParams;
}
