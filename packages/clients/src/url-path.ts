/**
 * Percent-encodes a name as one segment of a path or one part of a data URL: everything but unreserved characters (RFC 3986), so
 * that no character of a name can act as syntax in any of the three services.
 * @throws {URIError} for a lone surrogate
 */
export function encodeName(name: string): string {
  return encodeURIComponent(name).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * A path of encoded segments below a prefix.
 * @param prefix path that is already encoded, without a slash at its end; may be empty
 * @example joinPath('/objects', 'plots 2024', 'a.png') // '/objects/plots%202024/a.png'
 */
export function joinPath(prefix: string, ...names: readonly string[]): string {
  return [prefix.replace(/\/+$/, ''), ...names.map(encodeName)].join('/');
}

/** `schema:table`, or the table alone, as a data URL writes it. */
export function tableName(table: string | { readonly schema: string; readonly table: string }): string {
  return typeof table === 'string' ? encodeName(table) : `${encodeName(table.schema)}:${encodeName(table.table)}`;
}

/** The query of a URL from what is set; empty without anything. */
export function queryString(parameters: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeName(name)}=${value}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
