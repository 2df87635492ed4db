import { entityTag } from '@holdfast/http-kit';
import type { MetadataField } from '../naming/content-metadata.js';
import type { KnownHash, VersionRecord } from './records.js';

/** Where hashes show that the service computed and no client supplied (spec/objectstore.md 7.3, 16). */
export type HashExposure = 'everywhere' | 'headers' | 'never';

const FIELDS: readonly MetadataField[] = ['content-type', 'content-disposition', 'content-md5', 'content-sha256'];

/** The metadata document: the fields that are set. */
export function metadataDocument(version: VersionRecord, exposure: HashExposure): Readonly<Record<string, string>> {
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const text = metadataText(version, field, exposure);
      return text === null ? [] : [[field, text]];
    }),
  );
}

/** One field as clients see it, null when it is unset. */
export function metadataText(version: VersionRecord, field: MetadataField, exposure: HashExposure): string | null {
  const computedToo = exposure === 'everywhere';
  switch (field) {
    case 'content-type':
      return version.contentType;
    case 'content-disposition':
      return version.disposition;
    case 'content-md5':
      return shownHash(version.md5, computedToo);
    case 'content-sha256':
      return shownHash(version.sha256, computedToo);
  }
}

/** A hash as base64, null when it is unknown or not to be shown. */
export function shownHash(hash: KnownHash | null, computedToo: boolean): string | null {
  return hash !== null && (hash.declared || computedToo) ? hash.value.toString('base64') : null;
}

/** Tag of the whole document. */
export function metadataTag(document: Readonly<Record<string, string>>): string {
  return entityTag(JSON.stringify(document));
}

/** Tag of one field; the empty text when it is unset (spec/objectstore.md 3.3). */
export function metadataFieldTag(text: string | null): string {
  return entityTag(text ?? '');
}
