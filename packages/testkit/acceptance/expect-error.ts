import { expect } from '@jest/globals';
import type { Answer } from './client.js';
import { at } from './documents.js';
import type { Wire } from './wire.js';

/** Checks an error document in the form of the profile: status, type, title, and a fragment of the detail. */
export function expectError(answer: Answer, wire: Wire, status: 400 | 401 | 403 | 404, fragment?: string): void {
  expectTitled(answer, wire, status, wire.titles[status], fragment);
}

/** A conflict: its first sentence is the same in both profiles, because clients look for it. */
export function expectConflict(answer: Answer, wire: Wire, fragment?: string): void {
  expectTitled(answer, wire, 409, 'Request conflicts with state of server.', fragment);
}

function expectTitled(answer: Answer, wire: Wire, status: number, title: string, fragment = ''): void {
  expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({ status, type: wire.errorType });
  expect(answer.headers['x-request-id']).toMatch(/^\S+$/);
  expect(answer.headers['content-length']).toBe(String(answer.bytes.byteLength));
  if (wire.errorType === 'text/plain') {
    expect(answer.text.startsWith(title)).toBe(true);
    expect(answer.text.endsWith('\n')).toBe(true);
    expect(answer.text).toContain(fragment);
  } else {
    expect(answer.json()).toMatchObject({
      status,
      title,
      code: expect.stringMatching(/^[a-z_]+$/),
      request_id: answer.headers['x-request-id'],
    });
    expect(at(answer.json(), 'detail')).toEqual(expect.stringContaining(fragment));
  }
}
