import { expect } from '@jest/globals';
import type { Answer, CatalogFixture, ClientName } from '../support/catalog-fixture.js';

/** Sends requests to one catalog and expects a status; the text of an answer is shown when it has another one. */
export type Speaker = (as: ClientName, method: string, path: string, body: unknown, status: number) => Promise<Answer>;

/** @param path of the catalog */
export function speaker(fixture: CatalogFixture, path: string): Speaker {
  return async (as, method, rest, body, status) => {
    const answer = await fixture.request(as, method, `${path}${rest}`, body);
    expect({ request: `${as} ${method} ${rest}`, status: answer.status, text: answer.text }).toMatchObject({ status });
    return answer;
  };
}

/** The latest snapshot of a catalog. */
export async function snaptime(fixture: CatalogFixture, path: string): Promise<unknown> {
  const { json } = await fixture.request('alice', 'GET', path);
  return typeof json === 'object' && json !== null && 'snaptime' in json ? json.snaptime : undefined;
}
