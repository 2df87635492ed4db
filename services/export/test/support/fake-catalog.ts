import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FakeServer, type Handler, sendError, startFakeServer, tokenOf } from './fake-server.js';

type Row = Readonly<Record<string, unknown>>;

/** A catalog with id 1 that answers the paths a test gives it. */
export interface FakeCatalog extends FakeServer {
  /** Rows by query path; a function answers by itself. */
  readonly answers: Map<string, readonly Row[] | Handler>;
  /** Paths asked for with who asked, the description left out. */
  readonly asked: {
    readonly path: string;
    readonly sub: unknown;
    readonly token: Readonly<Record<string, unknown>> | null;
    readonly cookie: string | null;
  }[];
  /** URLs asked for that are none of a catalog's. */
  readonly others: string[];
  /** Users by name with their passwords: the session resource knows them. */
  readonly users: Map<string, string>;
  /** Cookies of sessions that were begun and not ended. */
  readonly sessions: Set<string>;
  /** Status for queries at a snapshot; null: they are answered like others. */
  snapshotStatus: number | null;
}

export const SNAPTIME = '2YQ-TEST-SNAP';

export async function startFakeCatalog(prefix = '/data'): Promise<FakeCatalog> {
  const answers: FakeCatalog['answers'] = new Map();
  const asked: FakeCatalog['asked'] = [];
  const others: string[] = [];
  const users = new Map<string, string>();
  const sessions = new Set<string>();
  const state = { snapshotStatus: null as number | null };
  const server = await startFakeServer((request, response) => {
    const url = request.url ?? '';
    if (url === '/authn/session') return answerSession(request, response, users, sessions);
    if (!url.startsWith(`${prefix}/catalog/`)) others.push(url);
    const [, id, snapshot, path = ''] = new RegExp(`^${prefix}/catalog/([^/@]+)(?:@([^/]+))?(/.*)?$`).exec(url) ?? [];
    const token = tokenOf(request);
    if (id !== '1') return sendError(response, 404, 'not_found', 'No such catalog.');
    if (path === '') return sendJson(response, { id, snaptime: SNAPTIME, rights: {}, annotations: {} });
    const { cookie = null } = request.headers;
    asked.push({
      path: `${snapshot === undefined ? '' : `@${snapshot}`}${path}`,
      sub: token?.sub ?? null,
      token,
      cookie,
    });
    if (snapshot !== undefined && state.snapshotStatus !== null) {
      return sendError(response, state.snapshotStatus, 'conflict', 'Not at this snapshot.');
    }
    const answer = answers.get(path);
    if (answer === undefined) return sendError(response, 409, 'unknown_element', `There is nothing at ${path}.`);
    if (typeof answer === 'function') return answer(request, response);
    sendRows(response, answer, request.headers.accept ?? '');
  });
  return {
    ...server,
    answers,
    asked,
    others,
    users,
    sessions,
    get snapshotStatus() {
      return state.snapshotStatus;
    },
    set snapshotStatus(status) {
      state.snapshotStatus = status;
    },
  };
}

async function answerSession(
  request: IncomingMessage,
  response: ServerResponse,
  users: ReadonlyMap<string, string>,
  sessions: Set<string>,
): Promise<void> {
  if (request.method === 'DELETE') {
    const ended = sessions.delete(request.headers.cookie ?? '');
    response.statusCode = ended ? 200 : 404;
    response.end('{}');
    return;
  }
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const form = new URLSearchParams(body);
  const name = form.get('username') ?? '';
  if (users.get(name) !== form.get('password')) return sendError(response, 401, 'login_failed', 'Wrong.');
  const cookie = `session=of-${name}-${sessions.size}`;
  sessions.add(cookie);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Set-Cookie': `${cookie}; Path=/; HttpOnly` });
  response.end(JSON.stringify({ client: { id: name, display_name: name }, attributes: [] }));
}

function sendRows(response: ServerResponse, rows: readonly Row[], accept: string): void {
  response.writeHead(200, { 'Content-Type': accept });
  if (accept === 'text/csv') {
    const columns = Object.keys(rows[0] ?? { RID: 1, n: 1 });
    const lines = rows.map((row) => columns.map((column) => String(row[column] ?? '')).join(','));
    response.end([columns.join(','), ...lines, ''].join('\n'));
  } else if (accept === 'application/x-json-stream') {
    response.end(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  } else response.end(JSON.stringify(rows));
}

function sendJson(response: ServerResponse, document: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(document));
}
