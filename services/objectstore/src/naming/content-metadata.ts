import { AppError } from '@holdfast/http-kit';
import { parseHash } from './hash-text.js';

/** A value of one of the four metadata fields, checked. */
export type MetadataValue =
  | { readonly field: 'content-type'; readonly text: string }
  | { readonly field: 'content-disposition'; readonly text: string }
  | { readonly field: 'content-md5'; readonly hash: Buffer }
  | { readonly field: 'content-sha256'; readonly hash: Buffer };

export type MetadataField = MetadataValue['field'];

const FIELDS: readonly MetadataField[] = ['content-type', 'content-disposition', 'content-md5', 'content-sha256'];

/**
 * The field a URL names.
 * @throws {AppError} `unknown_field`
 */
export function parseField(name: string): MetadataField {
  const field = FIELDS.find((known) => known === name);
  if (field === undefined) throw new AppError('unknown_field', `The metadata fields are ${FIELDS.join(', ')}.`);
  return field;
}

/**
 * Checks the value of a field (spec/objectstore.md 6.2, 7.1).
 * @throws {AppError} `bad_hash`, `bad_disposition`, `bad_request`
 */
export function parseMetadataValue(field: MetadataField, text: string): MetadataValue {
  switch (field) {
    case 'content-type':
      return { field, text: parseContentType(text) };
    case 'content-disposition':
      return { field, text: parseDisposition(text) };
    case 'content-md5':
      return { field, hash: parseHash('md5', text) };
    case 'content-sha256':
      return { field, hash: parseHash('sha256', text) };
  }
}

/** `type/subtype` with parameters, kept as it is written. */
export function parseContentType(text: string): string {
  if (text.length <= 255 && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+\s*(;[\x20-\x7e]*)?$/.test(text))
    return text;
  throw new AppError(
    'bad_request',
    'A content type is type/subtype with optional parameters, of 255 characters at most.',
  );
}

/**
 * `filename*=UTF-8''name`, nothing before and nothing after: clients read it with an anchored expression.
 * @throws {AppError} `bad_disposition`
 */
export function parseDisposition(text: string): string {
  const encoded = /^filename\*=UTF-8''((?:[A-Za-z0-9\-_.~]|%[0-9A-Fa-f]{2})+)$/.exec(text)?.[1];
  const name = encoded === undefined ? null : decoded(encoded);
  if (name === null || name === '.' || name === '..' || /[/\\\p{Cc}]/u.test(name)) {
    throw new AppError(
      'bad_disposition',
      "Content-Disposition must be filename*=UTF-8''<name>, the name percent-encoded and without path separators.",
    );
  }
  return text;
}

function decoded(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
