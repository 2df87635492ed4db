import type { ElementRow } from '../../model/element-rows.js';
import type { DatabaseObjects, DatabaseRelation } from './database-objects.js';
import type { Mark } from './pairs.js';

/** A live row of an element proper: no lists, bindings or annotations. */
export type StructureRow = Extract<
  ElementRow,
  { readonly kind: 'schema' | 'table' | 'column' | 'key' | 'foreign_key' }
>;

export type RowOfKind<Kind extends StructureRow['kind']> = Extract<StructureRow, { readonly kind: Kind }>;

/** What has to be done so that the model tells what stands in the database. */
export interface Differences {
  /** Parents before children. */
  readonly added: readonly ElementRow[];
  readonly changed: readonly ElementChange[];
  /** RIDs of elements that are gone. */
  readonly gone: readonly string[];
  /** RIDs of elements that are the same and have another OID or number in the database. */
  readonly retied: readonly string[];
  /** What the model cannot show, for the log. */
  readonly hidden: readonly string[];
}

/** What is different about an element. */
export interface ElementChange {
  readonly rid: string;
  readonly kind: StructureRow['kind'];
  readonly parent: string;
  /** Whether the parent is another one than before. */
  readonly moved: boolean;
  /** New members of its document. */
  readonly members: object;
}

/** A comparison under way. */
export interface Comparison {
  readonly database: DatabaseObjects;
  /** The database is a copy in which OIDs mean nothing: names decide. */
  readonly restored: boolean;
  nextRid(): string;
  readonly added: ElementRow[];
  readonly changed: ElementChange[];
  readonly retied: string[];
  readonly hidden: string[];
  /** RIDs of elements that are still there. */
  readonly kept: Set<string>;
}

/** A table or view of the database with its element, old or new. */
export interface ComparedTable {
  readonly rid: string;
  readonly relation: DatabaseRelation;
  /** Null for a new one. */
  readonly row: RowOfKind<'table'> | null;
}

/** Notes that an element is there, with what is different about it. */
export function keep<Row extends StructureRow>(
  comparison: Comparison,
  row: Row,
  parent: string,
  members: Partial<Row['doc']>,
): void {
  comparison.kept.add(row.rid);
  const present = new Map<string, unknown>(Object.entries(row.doc));
  const different = Object.entries(members).filter(
    ([name, value]) => JSON.stringify(present.get(name)) !== JSON.stringify(value),
  );
  const ties = different.filter(([name]) => name === 'oid' || name === 'attnum');
  const content = different.filter(([name]) => name !== 'oid' && name !== 'attnum');
  if (ties.length > 0) comparison.retied.push(row.rid);
  const moved = row.parent !== parent;
  if (content.length > 0 || moved)
    comparison.changed.push({ rid: row.rid, kind: row.kind, parent, moved, members: Object.fromEntries(content) });
}

/** Recognises an object by its OID, in the database where the OIDs were noted. */
export function byOid<Row extends { readonly doc: { readonly oid?: number } }, Thing extends { readonly oid: number }>({
  restored,
}: Comparison): Mark<Row, Thing> {
  return {
    ofElement: ({ doc }) => (restored || doc.oid === undefined ? null : String(doc.oid)),
    ofThing: ({ oid }) => String(oid),
  };
}

/** RIDs by OID, or by whatever number the database has for a thing. */
export type Rids = ReadonlyMap<number, string>;

/** RIDs for numbers; null when one is missing, because what it stands for is hidden. */
export function ridsOf(numbers: readonly number[], rids: Rids | undefined): readonly string[] | null {
  const found = numbers.map((number) => rids?.get(number));
  return found.every((rid) => rid !== undefined) ? found : null;
}
