import type { CallOptions } from './catalog-client.js';
import type { HttpAnswer, HttpClient, RequestBody } from './http-client.js';
import { encodeName } from './url-path.js';

/** Lists by access mode (spec/objectstore.md 4.2). */
export type AccessLists = Readonly<Record<string, readonly string[]>>;

/** How a namespace is made. */
export interface NamespaceOptions extends CallOptions {
  /** Makes missing ancestors too. */
  readonly parents?: boolean;
  /** Initial lists; the creator owns it without. */
  readonly acls?: AccessLists;
}

/** How content is stored. */
export interface PutOptions extends NamespaceOptions {
  /** Bytes. Left out: chunked transfer coding, which the store takes from trusted services only. */
  readonly length?: number;
  readonly contentType?: string;
  /** Hex or base64; the store refuses content with another hash. */
  readonly md5?: string;
  readonly sha256?: string;
  /** Base name shown to whoever downloads it. */
  readonly fileName?: string;
  /** Milliseconds without an answer after which the request fails, counted while the content is sent, too; 0: never. */
  readonly idleTimeout?: number;
  /** `absent`: only if the object has no version; an entity tag: only if that is the current version. */
  readonly onlyIf?: 'absent' | { readonly etag: string };
}

/** Which part of an object is read. */
export interface GetOptions extends CallOptions {
  /** Text of a `Range` header. */
  readonly range?: string;
  readonly ifRange?: string;
  /** Redirects followed; default 3 (presigned URLs of the blob store, without the credential). */
  readonly redirects?: number;
}

/** What is known of an object version. */
export interface ObjectFacts {
  /** Path of the version, for references that stay true. */
  readonly versionPath: string | null;
  /** Bytes. */
  readonly length: number | null;
  readonly contentType: string;
  /** Hex; null when the store does not tell. */
  readonly md5: string | null;
  readonly sha256: string | null;
  /** Base name of its `Content-Disposition`. */
  readonly fileName: string | null;
  readonly etag: string | null;
}

/**
 * The object store. Objects and namespaces are addressed by the path of their URL with prefix, encoded
 * (`joinPath('/objects', …)`), and versions by the same with `:<version>`: the form in which catalogs record them.
 */
export interface ObjectStoreClient {
  /** @throws {HttpError} 409 when it is there already */
  createNamespace(path: string, options?: NamespaceOptions): Promise<void>;
  /** Stores content as a new version. @returns path of the version */
  put(path: string, content: RequestBody, options?: PutOptions): Promise<string>;
  get(path: string, options?: GetOptions): Promise<HttpAnswer & { readonly facts: ObjectFacts }>;
  head(path: string, options?: CallOptions): Promise<ObjectFacts>;
  /** Paths of the versions, newest first. */
  versions(path: string, options?: CallOptions): Promise<readonly string[]>;
  /** Paths of the children of a namespace. */
  list(path: string, options?: CallOptions): Promise<readonly string[]>;
  remove(path: string, options?: CallOptions): Promise<void>;
  acls(path: string, options?: CallOptions): Promise<AccessLists>;
  putAcl(path: string, mode: string, roles: readonly string[], options?: CallOptions): Promise<void>;
}

const NAMESPACE_TYPE = 'application/x-objstore-namespace';

/** A client of the object store. */
export function objectStoreClient(http: HttpClient): ObjectStoreClient {
  return {
    createNamespace: async (path, { parents, acls, ...options } = {}) => {
      const answer = await http.request({
        method: 'PUT',
        path: withParents(path, parents),
        headers: { 'content-type': NAMESPACE_TYPE, 'content-length': '0', 'x-initial-acls': printed(acls) },
        ...options,
      });
      await answer.discard();
    },
    put: async (path, content, options = {}) => {
      const { signal, parents, idleTimeout } = options;
      const answer = await http.request({
        method: 'PUT',
        path: withParents(path, parents),
        headers: putHeaders(options),
        body: content,
        ...(signal === undefined ? {} : { signal }),
        ...(idleTimeout === undefined ? {} : { idleTimeout }),
      });
      await answer.discard();
      return answer.headers.location ?? path;
    },
    get: async (path, { range, ifRange, redirects = 3, ...options } = {}) => {
      const answer = await http.request({
        method: 'GET',
        path,
        redirects,
        headers: { range, 'if-range': ifRange },
        ...options,
      });
      return { ...answer, facts: factsOf(answer.headers) };
    },
    head: async (path, options) => {
      const answer = await http.request({ method: 'HEAD', path, redirects: 3, ...options });
      await answer.discard();
      return factsOf(answer.headers);
    },
    versions: (path, options) => paths(http, `${path};versions`, options),
    list: (path, options) => paths(http, path, options),
    remove: async (path, options) => {
      await (await http.request({ method: 'DELETE', path, ...options })).discard();
    },
    acls: async (path, options) => {
      const lists = await (await http.request({ method: 'GET', path: `${path};acl`, ...options })).json();
      return Object.fromEntries(
        Object.entries(typeof lists === 'object' && lists !== null ? lists : {}).map(([mode, roles]) => [
          mode,
          strings(roles),
        ]),
      );
    },
    putAcl: async (path, mode, roles, options) => {
      const answer = await http.request({
        method: 'PUT',
        path: `${path};acl/${encodeName(mode)}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(roles),
        ...options,
      });
      await answer.discard();
    },
  };
}

/**
 * `filename*=UTF-8''…`, the one form of `Content-Disposition` that the object store takes (spec/objectstore.md 6.2).
 * @param fileName base name
 */
export function printDisposition(fileName: string): string {
  return `filename*=UTF-8''${encodeName(fileName)}`;
}

/** The base name of a `Content-Disposition`, with or without a disposition type; null when it has none that can be read. */
export function parseDisposition(header: string | undefined): string | null {
  const encoded = /(?:^|;)\s*filename\*=UTF-8''([A-Za-z0-9\-_.~%!$&+^`|]+)\s*(?:;|$)/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

function putHeaders(options: PutOptions): Readonly<Record<string, string | undefined>> {
  const { onlyIf } = options;
  return {
    'content-type': options.contentType ?? 'application/octet-stream',
    'content-length': options.length === undefined ? undefined : String(options.length),
    'content-md5': options.md5,
    'content-sha256': options.sha256,
    'content-disposition': options.fileName === undefined ? undefined : printDisposition(options.fileName),
    'x-initial-acls': printed(options.acls),
    'if-none-match': onlyIf === 'absent' ? '*' : undefined,
    'if-match': typeof onlyIf === 'object' ? onlyIf.etag : undefined,
  };
}

/** What the headers of an answer tell about the content. */
export function factsOf(headers: Readonly<Record<string, string>>): ObjectFacts {
  const length = Number(headers['content-length'] ?? Number.NaN);
  return {
    versionPath: headers['content-location'] ?? null,
    length: Number.isSafeInteger(length) ? length : null,
    contentType: headers['content-type'] ?? 'application/octet-stream',
    md5: hex(headers['content-md5'], 16),
    sha256: hex(headers['content-sha256'], 32),
    fileName: parseDisposition(headers['content-disposition']),
    etag: headers.etag ?? null,
  };
}

function hex(base64: string | undefined, bytes: number): string | null {
  if (base64 === undefined) return null;
  const decoded = Buffer.from(base64, 'base64');
  return decoded.byteLength === bytes ? decoded.toString('hex') : null;
}

async function paths(http: HttpClient, path: string, options: CallOptions | undefined): Promise<readonly string[]> {
  const answer = await http.request({ method: 'GET', path, headers: { accept: 'application/json' }, ...options });
  return strings(await answer.json());
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function withParents(path: string, parents: boolean | undefined): string {
  return parents === true ? `${path}?parents=true` : path;
}

/** A header holds printable ASCII: the rest of the document is escaped. */
function printed(acls: AccessLists | undefined): string | undefined {
  if (acls === undefined) return undefined;
  return JSON.stringify(acls).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
