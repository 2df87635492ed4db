import { expect } from '@jest/globals';

/**
 * `toMatchObject`, but an empty object stands for an empty object: Jest takes it for "anything", which would let what must be
 * left out pass.
 */
export function expectPart(actual: unknown, part: object): void {
  expect(actual).toMatchObject(part as Record<string, unknown>);
  expectEmpties(actual, part);
}

function expectEmpties(actual: unknown, part: unknown): void {
  if (typeof part !== 'object' || part === null || isMatcher(part)) return;
  const members = Object.entries(part);
  if (members.length === 0) expect(actual).toEqual(part);
  for (const [name, value] of members) expectEmpties((actual as Readonly<Record<string, unknown>>)[name], value);
}

/** `expect.any` and its like. */
function isMatcher(part: object): boolean {
  return 'asymmetricMatch' in part;
}
