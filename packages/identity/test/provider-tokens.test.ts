import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { type KeyServer, startKeyServer } from './key-server.js';
import { startTestService, type TestService } from './test-service.js';

const clock = { time: Date.parse('2025-01-02T10:00:00Z') };
let provider: KeyServer;
let service: TestService;

beforeAll(async () => {
  provider = await startKeyServer(() => clock.time);
});

afterAll(() => provider.close());

beforeEach(async () => {
  provider.fail(false);
  service = await startService({});
});

afterEach(() => service.close());

function startService(more: object): Promise<TestService> {
  const issuer = { issuer: provider.issuer, audiences: ['data', 'data-2'], groupPrefix: 'groups/', ...more };
  return startTestService({
    environment: { OIDC: JSON.stringify([issuer]), PUBLIC_URL: 'https://data.example.org' },
    ports: { now: () => clock.time },
    read: ['groups/g1'],
  });
}

const seconds = (): number => Math.floor(clock.time / 1000);
const get = (token: string, path = '/os/p') => supertest(service.app).get(path).set('Authorization', `Bearer ${token}`);
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an access token of a provider', () => {
  it('makes the client, its groups and its session', async () => {
    const claims = { groups: ['g1'], preferred_username: 'alice', name: 'Alice A.', email: 'a@x.org' };
    const token = await provider.sign(claims);
    const id = `${provider.issuer}/4711`;
    const answer = await get(token).expect(200);
    expect(answer.body).toMatchObject({ kind: 'bearer', roles: ['*', id, 'groups/g1'] });
    const session = await get(token, '/authn/session').expect(200);
    expect(session.body).toEqual({
      client: { id, display_name: 'alice', full_name: 'Alice A.', email: 'a@x.org', identities: [id] },
      attributes: [
        { id, display_name: 'alice' },
        { id: 'groups/g1', display_name: 'g1' },
      ],
      since: '2025-01-02T10:00:00.000+00:00',
      expires: '2025-01-02T10:15:00.000+00:00',
      seconds_remaining: 900,
      vary_headers: ['cookie', 'authorization'],
      tracking: null,
    });
  });

  it('without groups has none', async () => {
    await get(await provider.sign()).expect(403);
  });

  it('8: is refused when it is unsigned, signed with the public key as secret, for others, late or of an unknown issuer', async () => {
    const good = { iss: provider.issuer, aud: 'data', sub: '4711', exp: seconds() + 900, groups: ['g1'] };
    const unsigned = `${encoded({ alg: 'none' })}.${encoded(good)}.`;
    const input = `${encoded({ alg: 'HS256', kid: provider.publicJwk.kid })}.${encoded(good)}`;
    const secrets = [JSON.stringify(provider.publicJwk), Buffer.from(provider.publicJwk.x ?? '', 'base64url')];
    const hmac = secrets.map((secret) => `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`);
    const signed = await Promise.all([
      provider.sign({ groups: ['g1'], aud: 'others' }),
      provider.sign({ groups: ['g1'], exp: seconds() - 120 }),
      provider.sign({ groups: ['g1'], iss: 'https://other.example' }),
      provider.sign({ groups: ['g1'], iss: `${provider.issuer}/` }),
      provider.sign({ groups: ['g1'], exp: undefined }),
      provider.sign({ groups: ['g1'], sub: undefined }),
      provider.sign({ groups: ['g1'], sub: '' }),
      provider.sign({ groups: ['g1'], nbf: seconds() + 120 }),
      provider.sign({ groups: ['g1'], iat: seconds() + 120 }),
      provider.sign({ groups: 'g1' }),
      provider.sign({ groups: Array.from({ length: 501 }, (_, n) => `g${n}`) }),
      provider.sign({ groups: ['g1'], padding: 'x'.repeat(8192) }),
    ]);
    const [first = '', second = ''] = (await provider.sign({ groups: ['g1'] })).split('.');
    const changed = `${first}.${second}.${'A'.repeat(86)}`;
    for (const token of [unsigned, ...hmac, ...signed, changed]) {
      const answer = await get(token).expect(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    }
    await get(await provider.sign({ groups: ['g1'], aud: ['x', 'data-2'] })).expect(200);
  });

  it('9: is accepted half a minute after its end, and not longer', async () => {
    const token = await provider.sign({ groups: ['g1'], exp: seconds() - 30 });
    await get(token).expect(200);
    clock.time += 40_000;
    await get(token).expect(401);
  });

  it('10: with an unknown key id refreshes the keys once, then not again for a minute', async () => {
    await get(await provider.sign({ groups: ['g1'] })).expect(200);
    const before = provider.fetches();
    await get(await provider.sign({ groups: ['g1'] }, { kid: 'nobody' })).expect(401);
    expect(provider.fetches()).toBe(before + 1);
    clock.time += 1_000;
    await get(await provider.sign({ groups: ['g1'], jti: 'other' }, { kid: 'nobody' })).expect(401);
    expect(provider.fetches()).toBe(before + 1);
    clock.time += 60_000;
    await get(await provider.sign({ groups: ['g1'] }, { kid: 'nobody' })).expect(401);
    expect(provider.fetches()).toBe(before + 2);
  });

  it('is accepted at once when its key is new', async () => {
    await get(await provider.sign({ groups: ['g1'] })).expect(200);
    await provider.rotate();
    await get(await provider.sign({ groups: ['g1'] })).expect(200);
  });

  it('is checked with the last good keys for a day while the provider is away, then nobody is let in', async () => {
    await get(await provider.sign({ groups: ['g1'] })).expect(200);
    provider.fail(true);
    clock.time += 23 * 3_600_000;
    await get(await provider.sign({ groups: ['g1'] })).expect(200);
    clock.time += 2 * 3_600_000;
    const answer = await get(await provider.sign({ groups: ['g1'] })).expect(503);
    expect(answer.headers['retry-after']).toBeDefined();
    provider.fail(false);
    clock.time += 61_000;
    await get(await provider.sign({ groups: ['g1'] })).expect(200);
  });

  it('is a 503, not anonymous, when the keys could never be fetched', async () => {
    provider.fail(true);
    await get(await provider.sign({ groups: ['g1'] })).expect(503);
  });

  it('is refused ten minutes after its key was withdrawn', async () => {
    const token = await provider.sign({ groups: ['g1'], exp: seconds() + 7200 });
    await get(token).expect(200);
    await provider.rotate();
    clock.time += 601_000;
    await get(token).expect(401);
  });

  it('is refused when its algorithm is not among those configured', async () => {
    await service.close();
    service = await startService({ algorithms: ['RS256', 'EdDSA'] });
    await get(await provider.sign({ groups: ['g1'] })).expect(401);
  });

  it('is not checked with keys of a discovery document that names another issuer', async () => {
    await service.close();
    const issuer = `${provider.issuer}/`;
    service = await startService({ issuer });
    await get(await provider.sign({ groups: ['g1'], iss: issuer })).expect(503);
    await service.close();
    service = await startService({ issuer, jwksUri: `${provider.issuer}/keys` });
    await get(await provider.sign({ groups: ['g1'], iss: issuer })).expect(200);
  });

  it('must have the scope that the configuration asks for', async () => {
    await service.close();
    service = await startService({ requiredScope: 'data:use' });
    await get(await provider.sign({ groups: ['g1'] })).expect(401);
    await get(await provider.sign({ groups: ['g1'], scope: 'data:used openid' })).expect(401);
    await get(await provider.sign({ groups: ['g1'], scope: 'openid data:use' })).expect(200);
    await get(await provider.sign({ groups: ['g1'], scp: ['data:use'] })).expect(200);
  });

  it('names the client by the template, and never a service', async () => {
    await service.close();
    service = await startService({ clientIdTemplate: '{sub}', groupPrefix: '', groupsClaim: 'roles' });
    await get(await provider.sign({ sub: 'urn:service:export', roles: ['groups/g1'] })).expect(401);
    await get(await provider.sign({ sub: '*', roles: ['groups/g1'] })).expect(401);
    const answer = await get(await provider.sign({ sub: 'x{iss}', roles: ['groups/g1', 'urn:service:export', '*'] }));
    expect(answer.body.roles).toEqual(['*', 'x{iss}', 'groups/g1']);
  });
});

describe('a token whose groups are elsewhere', () => {
  const elsewhere = { _claim_names: { groups: 'src1' } };

  beforeEach(() => {
    provider.userinfo.asked.length = 0;
  });

  it('gets them from userinfo, once in five minutes', async () => {
    provider.userinfo.claims = { sub: '4711', groups: ['g1'] };
    const token = await provider.sign({ ...elsewhere, exp: seconds() + 3600 });
    await get(token).expect(200);
    clock.time += 240_000;
    await get(token).expect(200);
    expect(provider.userinfo.asked).toEqual([`Bearer ${token}`]);
    provider.userinfo.claims = { sub: '4711', groups: [] };
    clock.time += 61_000;
    await get(token).expect(403);
  });

  it('takes none that belong to somebody else', async () => {
    provider.userinfo.claims = { sub: '4712', groups: ['g1'] };
    await get(await provider.sign(elsewhere)).expect(403);
  });

  it('is a 503 when they cannot be had', async () => {
    provider.userinfo.claims = { sub: '4711', groups: ['g1'] };
    await get(await provider.sign()).expect(403);
    provider.fail(true);
    await get(await provider.sign(elsewhere)).expect(503);
  });
});

describe('other bearer tokens', () => {
  it('are refused when they are no JWT: there is no introspection', async () => {
    await get('opaque-token-4711').expect(401);
  });

  it('cannot be used as a cookie', async () => {
    const token = await provider.sign({ groups: ['g1'] });
    const answer = await supertest(service.app).get('/os/p').set('Cookie', `session=${token}`).expect(401);
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^session=; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=0/);
  });
});
