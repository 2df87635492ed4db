import { Agent, request } from 'node:http';

/** One HTTP answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface RawRequest {
  readonly method: string;
  /** The request target, sent byte by byte as it is: `fetch` would escape quotes and resolve dots. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type RawClient = {
  send(message: RawRequest): Promise<Answer>;
  close(): void;
};

/** A keep-alive client for one origin which adds no header of its own but `Host`, `Connection` and `Content-Length`. */
export function rawClient(origin: string): RawClient {
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: true });
  return {
    close: () => agent.destroy(),
    send: ({ method, target, headers, body }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        const call = request({ agent, hostname, port, method, path: target, headers: { ...headers, ...length } });
        call.on('error', reject);
        call.on('response', (message) => {
          const chunks: Buffer[] = [];
          message.on('error', reject);
          message.on('data', (chunk: Buffer) => chunks.push(chunk));
          message.on('end', () =>
            resolve({
              status: message.statusCode ?? 0,
              headers: flat(message.headersDistinct),
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        });
        call.end(body);
      }),
  };
}

function flat(headers: NodeJS.Dict<string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, (values ?? []).join(', ')]));
}

/** The JSON value of an answer's body; the text itself in the error when it is not JSON. */
export function jsonOf(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    throw new Error(`The answer is not JSON: ${answer.status} ${JSON.stringify(answer.text.slice(0, 500))}`);
  }
}

export type Row = Readonly<Record<string, unknown>>;

/** The rows of a JSON answer, which has to be an array of objects. */
export function rowsOf(answer: Answer): readonly Row[] {
  const value = jsonOf(answer);
  if (Array.isArray(value) && value.every(isRow)) return value;
  throw new Error(`The answer is no array of objects: ${answer.status} ${answer.text.slice(0, 500)}`);
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of a JSON object that has to be a string. */
export function textMember(document: unknown, name: string): string {
  const value = isRow(document) ? document[name] : undefined;
  if (typeof value === 'string') return value;
  throw new Error(`No text in member "${name}" of ${JSON.stringify(document)}`);
}

/** What an error answer says: `detail` of a JSON document, the whole text of the others. */
export function messageOf(answer: Answer): string {
  if (!answer.headers['content-type']?.includes('json')) return answer.text;
  return textMember(jsonOf(answer), 'detail');
}
