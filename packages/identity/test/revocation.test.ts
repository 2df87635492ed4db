import { AppError, createLogger } from '@holdfast/http-kit';
import { describe, expect, it } from '@jest/globals';
import { askForRevocation } from '../src/revocation.js';

const log = createLogger({ service: 'test', level: 'silent' });

/** The service that made the tokens, and a clock. */
function setUp() {
  const state = { answer: (): Response => Response.json({ active: true }), now: 0 };
  const asked: { readonly url: string; readonly authorization: string | null }[] = [];
  const isOver = askForRevocation({
    url: 'https://x.org/export/job',
    now: () => state.now,
    log,
    fetch: async (input, init) => {
      asked.push({ url: String(input), authorization: new Headers(init?.headers).get('authorization') });
      return state.answer();
    },
  });
  return { state, asked, isOver };
}

describe('whether the job of a token is over', () => {
  it('is asked with the token itself', async () => {
    const { state, asked, isOver } = setUp();
    expect(await isOver('j1', 'token')).toBe(false);
    state.answer = () => Response.json({ active: false });
    expect(await isOver('j1', 'token')).toBe(true);
    expect(asked[0]).toEqual({ url: 'https://x.org/export/job/j1/delegation', authorization: 'Bearer token' });
  });

  it('is not taken for granted when nobody answers: 503, never "still active"', async () => {
    const { state, isOver } = setUp();
    for (const answer of [
      () => new Response(null, { status: 502 }),
      () => Response.json({ active: 'yes' }),
      () => {
        throw new TypeError('fetch failed');
      },
    ]) {
      state.answer = answer;
      await expect(isOver('j1', 'token')).rejects.toMatchObject({ code: 'unavailable' });
      await expect(isOver('j1', 'token')).rejects.toBeInstanceOf(AppError);
    }
  });

  it('a running job outlives a restart of the other service, for ten minutes', async () => {
    const { state, isOver } = setUp();
    await isOver('j1', 'token');
    state.answer = () => new Response(null, { status: 503 });
    state.now = 599_000;
    expect(await isOver('j1', 'token')).toBe(false);
    state.now = 601_000;
    await expect(isOver('j1', 'token')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('what was over is not believed to run again', async () => {
    const { state, isOver } = setUp();
    await isOver('j1', 'token');
    state.answer = () => Response.json({ active: false });
    await isOver('j1', 'token');
    state.answer = () => new Response(null, { status: 503 });
    await expect(isOver('j1', 'token')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
