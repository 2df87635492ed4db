import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FakeServer, sendError, startFakeServer, tokenOf } from './fake-server.js';

/** A version in the fake store. */
export interface StoredVersion {
  readonly version: string;
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Lists at creation; null: none were given. */
  acls: Readonly<Record<string, readonly string[]>> | null;
  readonly putBy: unknown;
  readonly chunked: boolean;
}

/** An object store as far as exports use one. */
export interface FakeObjectStore extends FakeServer {
  /** By raw path, oldest version first. */
  readonly objects: Map<string, StoredVersion[]>;
  /** Paths of namespaces. */
  readonly namespaces: Set<string>;
  /** Bytes after which the next GET of a path breaks off. */
  readonly cuts: Map<string, number>;
  /** Paths of all contents that were ever stored, in order. */
  readonly stored: readonly string[];
  /** Requests as `METHOD path`. */
  readonly asked: string[];
  /** Answers instead of the store when it returns a status. */
  refuse: ((method: string, path: string, sub: unknown) => number | null) | null;
  /** Waited for before more of a content is read. @param read bytes of it so far */
  pace: ((read: number) => Promise<void>) | null;
  /** Waited for when a content was read, before it is stored. */
  settle: (() => Promise<void>) | null;
  /** So many of the next PUTs are done, but their connection breaks before the answer. */
  loseAnswers: number;
  /** Holds a request back. */
  slow: ((method: string, path: string) => Promise<void>) | null;
  /** Puts an object in without HTTP. @returns path of the version */
  add(path: string, content: string, headers?: Readonly<Record<string, string>>): string;
}

export async function startFakeObjectStore(): Promise<FakeObjectStore> {
  const objects: FakeObjectStore['objects'] = new Map();
  const namespaces = new Set<string>();
  const cuts = new Map<string, number>();
  const stored: string[] = [];
  const asked: string[] = [];
  const state: Pick<FakeObjectStore, 'refuse' | 'slow' | 'pace' | 'settle' | 'loseAnswers'> = {
    refuse: null,
    slow: null,
    pace: null,
    settle: null,
    loseAnswers: 0,
  };
  let count = 0;
  const nextVersion = (): string => {
    count += 1;
    return `V${count}`;
  };
  const put = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const versions = objects.get(path) ?? [];
    const acls = request.headers['x-initial-acls'];
    if (acls !== undefined && versions.length > 0) {
      return sendError(response, 400, 'bad_request', 'X-Initial-Acls is for new names.');
    }
    const chunks: Buffer[] = [];
    let read = 0;
    for await (const chunk of request) {
      chunks.push(Buffer.from(chunk));
      read += chunk.length;
      await state.pace?.(read);
    }
    await state.settle?.();
    const version = nextVersion();
    const { 'content-type': type = '', 'content-disposition': disposition = '' } = request.headers;
    const content: StoredVersion = {
      version,
      content: Buffer.concat(chunks),
      headers: { 'content-type': type, 'content-disposition': disposition },
      acls: acls === undefined ? null : JSON.parse(String(acls)),
      putBy: tokenOf(request)?.sub ?? null,
      chunked: request.headers['transfer-encoding'] === 'chunked',
    };
    objects.set(path, [...versions, content]);
    stored.push(path);
    for (const parent of parentsOf(path)) namespaces.add(parent);
    if (state.loseAnswers > 0) {
      state.loseAnswers -= 1;
      response.destroy();
      return;
    }
    response.writeHead(201, { Location: `${path}:${version}`, 'Content-Type': 'text/uri-list' });
    response.end(`${path}:${version}\n`);
  };
  const get = (request: IncomingMessage, response: ServerResponse, target: string): void => {
    const [path = '', version] = target.split(':');
    const versions = objects.get(path) ?? [];
    const found = version === undefined ? versions.at(-1) : versions.find((each) => each.version === version);
    if (found === undefined) {
      sendError(response, 404, 'not_found', 'No such object.');
      return;
    }
    const { content } = found;
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const from = Number(range?.[1] ?? 0);
    const to = range === null || range[2] === '' ? content.byteLength : Number(range[2]) + 1;
    const part = content.subarray(from, to);
    response.writeHead(range === null ? 200 : 206, {
      ...found.headers,
      'Content-Length': part.byteLength,
      'Content-MD5': createHash('md5').update(content).digest('base64'),
      'Content-SHA256': createHash('sha256').update(content).digest('base64'),
      'Content-Location': `${path}:${found.version}`,
      ETag: `"${found.version}"`,
      ...(range === null ? {} : { 'Content-Range': `bytes ${from}-${to - 1}/${content.byteLength}` }),
    });
    const cut = cuts.get(path);
    if (cut !== undefined && request.method === 'GET') {
      cuts.delete(path);
      response.write(part.subarray(0, cut), () => response.destroy());
      return;
    }
    response.end(request.method === 'HEAD' ? undefined : part);
  };
  const server = await startFakeServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const method = request.method ?? '';
    asked.push(`${method} ${path}`);
    const status = state.refuse?.(method, path, tokenOf(request)?.sub ?? null) ?? null;
    if (status !== null) return sendError(response, status, 'forbidden', 'Refused by the test.');
    await state.slow?.(method, path);
    if (path.includes(';acl/')) return putAcl(request, response, path, objects);
    if (method === 'PUT') return put(request, response, path);
    if (method === 'DELETE') {
      response.statusCode = remove(objects, namespaces, path);
      response.end();
      return;
    }
    if (path.endsWith(';versions')) {
      const name = path.slice(0, -';versions'.length);
      return sendJson(
        response,
        (objects.get(name) ?? []).map(({ version }) => `${name}:${version}`),
      );
    }
    if (!path.includes(':') && !objects.has(path) && namespaces.has(path)) {
      return sendJson(response, childrenOf(objects, namespaces, path));
    }
    get(request, response, path);
  });
  return {
    ...server,
    objects,
    namespaces,
    cuts,
    asked,
    stored,
    get refuse() {
      return state.refuse;
    },
    set refuse(refuse) {
      state.refuse = refuse;
    },
    get settle() {
      return state.settle;
    },
    set settle(settle) {
      state.settle = settle;
    },
    get loseAnswers() {
      return state.loseAnswers;
    },
    set loseAnswers(count) {
      state.loseAnswers = count;
    },
    get pace() {
      return state.pace;
    },
    set pace(pace) {
      state.pace = pace;
    },
    get slow() {
      return state.slow;
    },
    set slow(slow) {
      state.slow = slow;
    },
    add: (path, content, headers = {}) => {
      const version = nextVersion();
      const stored = { version, content: Buffer.from(content), headers, acls: null, putBy: 'test', chunked: false };
      objects.set(path, [...(objects.get(path) ?? []), stored]);
      for (const parent of parentsOf(path)) namespaces.add(parent);
      return `${path}:${version}`;
    },
  };
}

function parentsOf(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.slice(2, -1).map((_, index) => segments.slice(0, index + 3).join('/'));
}

function childrenOf(
  objects: FakeObjectStore['objects'],
  namespaces: FakeObjectStore['namespaces'],
  path: string,
): readonly string[] {
  return [...objects.keys(), ...namespaces].filter(
    (name) => name.startsWith(`${path}/`) && !name.slice(path.length + 1).includes('/'),
  );
}

/** A version, an object with its versions, or an empty namespace. */
function remove(
  objects: FakeObjectStore['objects'],
  namespaces: FakeObjectStore['namespaces'],
  target: string,
): number {
  const [path = '', version] = target.split(':');
  const versions = objects.get(path);
  if (version !== undefined) {
    objects.set(path, versions?.filter((each) => each.version !== version) ?? []);
    return versions === undefined ? 404 : 204;
  }
  if (objects.delete(path)) return 204;
  if (!namespaces.has(path)) return 404;
  if (childrenOf(objects, namespaces, path).length > 0) return 409;
  namespaces.delete(path);
  return 204;
}

function sendJson(response: ServerResponse, document: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(document));
}

async function putAcl(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  objects: FakeObjectStore['objects'],
): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const [, path = '', version, mode = ''] = /^([^:;]*)(?::([^;]*))?;acl\/(.*)$/.exec(target) ?? [];
  const found = objects.get(path)?.find((each) => each.version === version);
  if (found === undefined) return sendError(response, 404, 'not_found', 'No such version.');
  found.acls = { ...found.acls, [mode]: JSON.parse(body) };
  response.statusCode = 204;
  response.end();
}
