import { type ListsByHolder, uniteLists } from '@holdfast/acl';
import type { NameRecord, Place, VersionRecord } from './records.js';

/** The lists that count for what stands at a place. */
export function listsAt(place: Place, version?: VersionRecord): ListsByHolder {
  const own = place.target === null ? {} : { [place.target.kind]: place.target.lists };
  return {
    ...own,
    ...(version === undefined ? {} : { version: version.lists }),
    ancestors: uniteLists(place.above.map((name) => name.lists)),
  };
}

/** The lists that count for creating something beneath a namespace: its own, and those above it. */
export function listsToCreateIn(parent: NameRecord, place: Place): ListsByHolder {
  const above = place.above.filter((name) => parent.ancestors.includes(name.id));
  return { namespace: parent.lists, ancestors: uniteLists(above.map((name) => name.lists)) };
}
