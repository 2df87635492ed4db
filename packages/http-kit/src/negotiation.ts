/** One part of an `Accept` header. */
export interface AcceptedRange {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
}

/**
 * Reads an `Accept` header. Parts that cannot be read are left out (spec/catalog-data.md 4.1).
 * @param header the header's text, or undefined when the client sent none
 * @returns the ranges in the order listed
 */
export function parseAccept(header: string | undefined): readonly AcceptedRange[] {
  if (header === undefined) return [];
  return header.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const match = /^([!#$%&'*+.^_`|~0-9a-z-]+)\/([!#$%&'*+.^_`|~0-9a-z-]+)$/.exec(range);
    if (match?.[1] === undefined || match[2] === undefined) return [];
    const q = parameters.find((text) => /^q\s*=/.test(text))?.replace(/^q\s*=\s*/, '');
    if (q !== undefined && !/^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q)) return [];
    return [{ type: match[1], subtype: match[2], quality: q === undefined ? 1 : Number(q) }];
  });
}

/**
 * Chooses a media type: the highest quality wins, `q=0` excludes, ties go to the order of `offered`. Nothing fits: null;
 * no service answers 406, so callers fall back to their default (spec/objectstore.md 3.5).
 * @param header the `Accept` header
 * @param offered media types without parameters, the preferred one first
 */
export function negotiate<T extends string>(header: string | undefined, offered: readonly T[]): T | null {
  const ranges = parseAccept(header);
  let best: { readonly type: T; readonly quality: number } | null = null;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > 0 && (best === null || quality > best.quality)) best = { type, quality };
  }
  return best?.type ?? null;
}

/** The quality the most specific matching range gives a type. */
function qualityOf(mediaType: string, ranges: readonly AcceptedRange[]): number {
  const [type, subtype] = mediaType.split('/');
  const matching = (test: (range: AcceptedRange) => boolean): number | undefined => ranges.find(test)?.quality;
  return (
    matching((range) => range.type === type && range.subtype === subtype) ??
    matching((range) => range.type === type && range.subtype === '*') ??
    matching((range) => range.type === '*' && range.subtype === '*') ??
    0
  );
}

/**
 * The media type of a `Content-Type` header without parameters, in lower case; null when there is none.
 */
export function mediaTypeOf(header: string | undefined): string | null {
  const type = header?.split(';')[0]?.trim().toLowerCase();
  return type === undefined || type === '' ? null : type;
}
