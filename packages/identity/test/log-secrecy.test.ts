import { openDatabase } from '@holdfast/pg-kit';
import { createTestDatabase } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import supertest from 'supertest';
import { setLocalPassword } from '../src/index.js';
import { startKeyServer } from './key-server.js';
import { devEnvironment, startTestService } from './test-service.js';

it('no credential reaches a log line, whatever becomes of the request', async () => {
  const home = await createTestDatabase('identity_log');
  const database = openDatabase({ url: home.url, applicationName: 'identity test', maxConnections: 2 });
  const provider = await startKeyServer(Date.now);
  const password = 'secret-pass-phrase';
  await setLocalPassword(database, 'dora', password);
  const service = await startTestService({
    environment: {
      ...devEnvironment,
      IDENTITY_DATABASE_URL: home.url,
      PASSWORD_LOGIN: 'local',
      OIDC: JSON.stringify([{ issuer: provider.issuer, audiences: ['data'] }]),
    },
  });
  const send = (headers: Record<string, string>) => supertest(service.app).put('/os/x').set(headers);
  const login = (name: string, given: string) =>
    supertest(service.app).post('/authn/session').type('form').send({ username: name, password: given });

  const tokens = [await provider.sign(), await provider.sign({ aud: 'others' }), await provider.sign({ exp: 1 })];
  for (const token of [...tokens, 'alice-token', 'opaque-garbage-1']) await send({ Authorization: `Bearer ${token}` });
  await send({ Authorization: 'Basic c2VjcmV0OnNlY3JldA==' });
  await send({ Authorization: 'Bearer two words-of-garbage' });
  await send({ Cookie: 'session=carol-token' });
  await send({ Cookie: 'session=carol-token; session=bob-token' });
  await send({ Cookie: 'session=bob-token', Origin: 'https://evil.example' });
  await send({ Cookie: 'session=stale-cookie-value' });
  await login('dora', 'wrong-pass-phrase').expect(401);
  await login(password, 'typed-in-the-wrong-field').expect(401);
  const cookie = (await login('dora', password).expect(200)).headers['set-cookie']?.[0]?.split(/[=;]/)[1] ?? '';
  await supertest(service.app).put('/authn/session').set('Cookie', `session=${cookie}`).expect(200);
  await home.drop();
  await send({ Cookie: `session=${cookie}` }).expect(503);
  await login('dora', password).expect(503);

  const text = service.logLines.join('\n');
  expect(text).toContain('credential_refused');
  expect(text).toContain('"event":"login"');
  expect(text).toContain('"client":"alice"');
  expect(text).toContain('request failed');
  const secrets = [
    ...tokens,
    ...tokens.map((token) => token.split('.')[2] ?? ''),
    ...['alice', 'bob', 'carol', 'admin'].map((name) => `${name}-token`),
    ...['opaque-garbage-1', 'c2VjcmV0OnNlY3JldA', 'words-of-garbage', 'stale-cookie-value'],
    ...[password, 'wrong-pass-phrase', 'typed-in-the-wrong-field', cookie],
  ];
  expect(cookie).toHaveLength(43);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);

  await service.close();
  await database.close();
  await provider.close();
});
