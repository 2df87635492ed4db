import type { AclSet } from '@holdfast/acl';
import { type AclElement, keepsOwnership, type RightsEvaluator } from '@holdfast/acl';
import { AppError, denied } from '@holdfast/http-kit';
import type { ClientContext } from '@holdfast/identity';
import type { ElementRow } from '../model/element-rows.js';
import type { Annotations } from '../model/model.js';
import type { ChangeDraft, DraftTable } from './change-draft.js';
import type { ColumnDefault } from './column-defaults.js';
import type { ColumnDefinition } from './definitions.js';
import type { LateWork } from './late-work-list.js';

/** What creating elements goes by, for one change. */
export interface CreationContext {
  readonly draft: ChangeDraft;
  readonly rights: RightsEvaluator;
  readonly client: ClientContext;
  /** Authorities of special annotation keys, the preferred one first. */
  readonly registrants: readonly string[];
  /** Whether the database can make trigram indexes. */
  readonly trigrams: boolean;
  /** Defaults of new columns as the database has read them. */
  readonly defaults: ReadonlyMap<ColumnDefinition, ColumnDefault>;
  /** Whether a table that was there before has rows: indexes on it are then built after the change. */
  hasRows(table: DraftTable): boolean;
  /** What is to be done after the change. */
  readonly lateWork: LateWork[];
  /** Tells the operator what was ignored, each thing once. */
  warn(where: object, sentence: string): void;
}

/** Id of the client that creates; anonymous clients have no right that would let them get here. */
export function creatorId({ client }: CreationContext): string {
  if (client.client === null) throw denied(true, 'Changing the model needs a login.');
  return client.client.id;
}

/** A creation that leaves its maker without ownership is refused (spec/catalog-access.md 2.7). */
export function requireOwnershipOf(context: CreationContext, element: AclElement, what: string): void {
  if (keepsOwnership(context.rights, element)) return;
  throw new AppError(
    'forbidden',
    `${what}: the owner list in acls leaves you out; add your own id or one of your groups.`,
  );
}

/** Rows for the lists and annotations of a new element; none for what is empty. */
export function configurationRows(
  place: { readonly rid: string; readonly parent: string },
  acls: AclSet,
  annotations: Annotations,
): readonly ElementRow[] {
  return [
    ...(Object.keys(acls).length === 0 ? [] : [{ ...place, kind: 'acl', doc: acls } as const]),
    ...(Object.keys(annotations).length === 0 ? [] : [{ ...place, kind: 'annotation', doc: annotations } as const]),
  ];
}
