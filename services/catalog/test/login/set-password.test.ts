import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

/** The command by which operators make local users. */
describe('set-password', () => {
  let identity: TestDatabase;
  let fixture: CatalogFixture;
  beforeAll(async () => {
    identity = await createTestDatabase('identity');
    fixture = await startCatalog({ environment: { IDENTITY_DATABASE_URL: identity.url, PASSWORD_LOGIN: 'local' } });
  });
  afterAll(async () => {
    await fixture.close();
    await identity.drop();
  });

  const run = (args: readonly string[], input: string, url: string | undefined = identity.url) =>
    new Promise<{ readonly status: number | null; readonly output: string }>((resolve, reject) => {
      const program = fileURLToPath(new URL('../../src/set-password.js', import.meta.url));
      const env = { PATH: process.env.PATH, ...(url === '' ? {} : { IDENTITY_DATABASE_URL: url }) };
      const child = spawn(process.execPath, [program, ...args], { env });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes));
      child.once('error', reject);
      child.once('close', (status) => resolve({ status, output }));
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
  const logIn = async (name: string, password: string) => {
    const url = new URL('/authn/session', fixture.url).href;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return fixture.request('anon', 'POST', url, new URLSearchParams({ username: name, password }).toString(), headers);
  };
  const groups = (json: unknown): unknown =>
    (json as { readonly attributes: readonly { readonly id: string }[] }).attributes;

  it('makes a user who can log in, with groups, and changes the password without them', async () => {
    expect((await logIn('dora', 'one two')).status).toBe(401);
    expect(await run(['dora', '--groups', 'curators, staff'], 'one two\n')).toEqual({
      status: 0,
      output: 'The password of dora is set.\n',
    });
    const first = await logIn('dora', 'one two');
    expect(first.status).toBe(200);
    const expected = expect.arrayContaining([
      expect.objectContaining({ id: 'curators' }),
      expect.objectContaining({ id: 'staff' }),
    ]);
    expect(groups(first.json)).toEqual(expected);
    expect((await run(['dora'], 'three')).status).toBe(0);
    expect((await logIn('dora', 'one two')).status).toBe(401);
    expect(groups((await logIn('dora', 'three')).json)).toEqual(expected);
  });

  it('says what it needs, and never the password', async () => {
    expect(await run([], 'secret')).toEqual({ status: 2, output: expect.stringContaining('Usage') });
    expect((await run(['eve'], '')).output).toContain('The password is empty');
    expect((await run(['*'], 'secret')).output).toContain('cannot be used');
    const nowhere = await run(['eve'], 'secret', '');
    expect(nowhere).toEqual({ status: 2, output: expect.stringContaining('IDENTITY_DATABASE_URL must name') });
    expect(nowhere.output).not.toContain('secret');
  });
});
