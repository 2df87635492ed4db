import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, request } from 'undici';

/** Thrown by a piece of work that saw what a client may see while a part is away. */
export class Away extends Error {}
/** Thrown when an answer is wrong. */
export class Wrong extends Error {}

/** An answer, read whole. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
/** Asks as alice. Throws Away for 503 with Retry-After, Wrong for every other status that is not expected. */
export type Call = (
  method: Method,
  path: string,
  expected: readonly number[],
  sent?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string | Buffer },
) => Promise<Reply>;

export function caller(url: string, agent: Agent): Call {
  return async (method, path, expected, { headers = {}, body } = {}) => {
    const answer = await request(new URL(path, url), {
      dispatcher: agent,
      method,
      headers: { authorization: 'Bearer alice-token', ...headers },
      body: body ?? null,
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (expected.includes(answer.statusCode)) return { status: answer.statusCode, headers: answer.headers, bytes };
    if (answer.statusCode === 503 && answer.headers['retry-after'] !== undefined) throw new Away();
    throw new Wrong(`${method} ${path}: ${answer.statusCode} ${bytes.toString('utf8', 0, 400)}`);
  };
}

/** Seconds a client goes on after the first refusal. */
const patience = 120;

/**
 * Does it again until it is done or patience has ended; a wrong answer ends it at once.
 * @param refused told of each try that failed and is made again
 */
export async function insisting<Result>(
  work: () => Promise<Result>,
  refused: (error: unknown) => void = () => undefined,
): Promise<Result> {
  for (const end = Date.now() + patience * 1_000; ; ) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Wrong || Date.now() > end) throw error;
      refused(error);
      await sleep(200);
    }
  }
}
