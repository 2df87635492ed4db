/** The three forms in which rows travel (spec/catalog-data.md 4.1). */
export type TabularFormat = 'json' | 'json-stream' | 'csv';

/** The media type of each format, without parameters: clients compare for equality (spec/profiles.md, line 2). */
export const MEDIA_TYPES: Readonly<Record<TabularFormat, string>> = {
  json: 'application/json',
  'json-stream': 'application/x-json-stream',
  csv: 'text/csv',
};

/** What a file name gets appended when rows are downloaded (spec/catalog-data.md 4.6). */
export const FILE_SUFFIXES: Readonly<Record<TabularFormat, string>> = {
  json: '.json',
  'json-stream': '.json',
  csv: '.csv',
};

const FORMATS: readonly TabularFormat[] = ['json', 'json-stream', 'csv'];

/** The format of a bare media type, any case; null if it is none of ours. */
export function formatOfMediaType(mediaType: string): TabularFormat | null {
  const wanted = mediaType.toLowerCase();
  return FORMATS.find((format) => MEDIA_TYPES[format] === wanted) ?? null;
}

/** The decoded value of `accept=`: a media type, `json` or `csv`. The stream format has no short form. */
export function formatOfAcceptParameter(value: string): TabularFormat | null {
  const wanted = value.toLowerCase();
  return wanted === 'json' || wanted === 'csv' ? wanted : formatOfMediaType(wanted);
}

/**
 * The format to answer in: the query parameter if it names one, else what the header likes best, else the default.
 * There is always an answer; nobody is told 406 (spec/catalog-data.md 4.1).
 *
 * @param accept the Accept header, several joined by commas
 * @param acceptParameter the percent-decoded `accept=` of the URL
 * @param fallback JSON for GET, the format of the request body for POST and PUT
 */
export function negotiateTabular(
  accept: string | undefined,
  acceptParameter: string | undefined,
  fallback: TabularFormat = 'json',
): TabularFormat {
  const asked = acceptParameter === undefined ? null : formatOfAcceptParameter(acceptParameter);
  return asked ?? formatOfAcceptHeader(accept ?? '') ?? fallback;
}

function formatOfAcceptHeader(header: string): TabularFormat | null {
  const ranges = splitOutsideQuotes(header, ',')
    .map(parseRange)
    .filter((range) => range !== null);
  const excluded = new Set(
    ranges.filter((range) => range.quality === 0).map((range) => formatOfMediaType(range.mediaType)),
  );
  // the sort is stable: equals stay in the order in which they were listed
  const wanted = ranges.filter((range) => range.quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { mediaType } of wanted) {
    const format = formatsOfRange(mediaType).find((candidate) => !excluded.has(candidate));
    if (format !== undefined) return format;
  }
  return null;
}

function formatsOfRange(range: string): readonly TabularFormat[] {
  switch (range) {
    case '*/*':
      return FORMATS;
    case 'application/*':
      return ['json', 'json-stream'];
    case 'text/*':
      return ['csv'];
    default: {
      const format = formatOfMediaType(range);
      return format === null ? [] : [format];
    }
  }
}

interface MediaRange {
  readonly mediaType: string;
  readonly quality: number;
}

const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/;
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

function parseRange(part: string): MediaRange | null {
  const { mediaType, parameters } = splitParameters(part);
  if (!MEDIA_TYPE.test(mediaType)) return null;
  const q = parameters.find(([name]) => name === 'q');
  if (q === undefined) return { mediaType, quality: 1 };
  return QUALITY.test(q[1]) ? { mediaType, quality: Number(q[1]) } : null;
}

export type ContentTypeDecision =
  | { readonly kind: 'accepted'; readonly format: TabularFormat }
  | { readonly kind: 'unsupported'; readonly reason: string };

/**
 * The format of a request body. No or an empty Content-Type means JSON; other types and charsets other than UTF-8 and its
 * subset ASCII are for a 415 (spec/catalog-data.md 4.1).
 */
export function parseTabularContentType(header: string | undefined): ContentTypeDecision {
  if (header === undefined || header.trim() === '') return { kind: 'accepted', format: 'json' };
  const { mediaType, parameters } = splitParameters(header);
  const format = formatOfMediaType(mediaType);
  if (format === null) {
    const supported = FORMATS.map((each) => MEDIA_TYPES[each]).join(', ');
    return { kind: 'unsupported', reason: `the body must be one of ${supported}` };
  }
  const charset = parameters.find(([name]) => name === 'charset')?.[1].toLowerCase();
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset)) {
    return { kind: 'unsupported', reason: 'the body must be UTF-8' };
  }
  return { kind: 'accepted', format };
}

interface TypeWithParameters {
  readonly mediaType: string;
  readonly parameters: readonly (readonly [string, string])[];
}

function splitParameters(text: string): TypeWithParameters {
  const [mediaType = '', ...rest] = splitOutsideQuotes(text, ';');
  const parameters = rest.map((part): readonly [string, string] => {
    const equals = part.indexOf('=');
    if (equals < 0) return [part.trim().toLowerCase(), ''];
    return [part.slice(0, equals).trim().toLowerCase(), unquote(part.slice(equals + 1).trim())];
  });
  return { mediaType: mediaType.trim().toLowerCase(), parameters };
}

function unquote(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replace(/\\(.)/g, '$1');
}

function splitOutsideQuotes(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (quoted && c === '\\') i += 1;
    else if (c === '"') quoted = !quoted;
    else if (c === separator && !quoted) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
