import { execFile } from 'node:child_process';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '@holdfast/http-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { devEnvironment, devTokens, startTestService, type TestService } from './test-service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

const bearer = (name: string) => ({ Authorization: `Bearer ${name}-token` });
const cookie = (name: string) => ({ Cookie: `other=1; session=${name}-token` });

describe('the session of a development token (spec/identity.md 9)', () => {
  it('1: shows the client and its groups, the own id among them', async () => {
    const answer = await supertest(service.app).get('/authn/session').set(bearer('alice')).expect(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers.vary).toBe('Authorization, Cookie');
    expect(answer.body).toMatchObject({
      client: { id: 'alice', display_name: 'alice', identities: ['alice'] },
      attributes: [{ id: 'alice' }, { id: 'g1' }],
      expires: null,
      seconds_remaining: null,
      vary_headers: ['cookie', 'authorization'],
      tracking: null,
    });
    expect(answer.body.since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    expect(answer.text).not.toContain('alice-token');
  });

  it('2: is a 404 without credentials, never stored by caches', async () => {
    const answer = await supertest(service.app).get('/authn/session').expect(404);
    expect(answer.body).toMatchObject({ code: 'no_session' });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('is the same with a trailing slash, with HEAD, as a cookie, and for PUT', async () => {
    await supertest(service.app).get('/authn/session/').set(bearer('alice')).expect(200);
    await supertest(service.app).head('/authn/session').set(bearer('alice')).expect(200);
    await supertest(service.app).put('/authn/session').set(bearer('alice')).expect(200);
    await supertest(service.app).put('/authn/session').set(cookie('alice')).expect(200);
    await supertest(service.app).put('/authn/session').expect(404);
  });

  it('3: garbage is a 401 that says what is wrong', async () => {
    const answer = await supertest(service.app)
      .get('/authn/session')
      .set('Authorization', 'Bearer garbage')
      .expect(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(answer.body).toMatchObject({ code: 'invalid_token' });
  });

  it('cannot be ended when it is a bearer, and only the cookie goes when it is one', async () => {
    await supertest(service.app).delete('/authn/session').set(bearer('alice')).expect(405);
    const answer = await supertest(service.app).delete('/authn/session').set(cookie('alice')).expect(200);
    expect(answer.body).toEqual({ logout_url: '/' });
    expect(answer.headers['set-cookie']?.[0]).toContain('session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
    await supertest(service.app).delete('/authn/session').expect(404, { logout_url: '/' });
  });

  it('knows its methods and resources', async () => {
    const answer = await supertest(service.app).patch('/authn/session').set(bearer('alice')).expect(405);
    expect(answer.headers.allow).toBe('HEAD, GET, PUT, POST, DELETE');
    await supertest(service.app).post('/authn/session').type('form').send('username=a&password=b').expect(405);
    await supertest(service.app).get('/authn/preauth').expect(405);
    await supertest(service.app).get('/authn/discovery').expect(200, {});
    await supertest(service.app).get('/authn/session/alice-token').set(bearer('alice')).expect(404);
    await supertest(service.app).get('/authn/constructor').set(bearer('alice')).expect(404);
  });

  it('14: sends nobody to another site after logging out', async () => {
    for (const url of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
    ])
      await supertest(service.app).delete('/authn/session').query({ logout_url: url }).set(cookie('alice')).expect(400);
    await supertest(service.app)
      .delete('/authn/session')
      .query({ logout_url: 'http://data.example.org/bye' })
      .set(cookie('alice'))
      .expect(200, { logout_url: 'http://data.example.org/bye' });
  });
});

describe('rights by list (spec/identity.md 9)', () => {
  it.each([
    ['4: alice, in g1', bearer('alice'), 200],
    ['4: alice by cookie', cookie('alice'), 200],
    ['4: carol, in no group', bearer('carol'), 403],
    ['4: nobody', {}, 401],
    ['5: invalid bearer beside a good cookie', { ...cookie('alice'), Authorization: 'Bearer garbage' }, 401],
    ['6: bearer of carol beside the cookie of alice', { ...cookie('alice'), ...bearer('carol') }, 403],
    ['another scheme', { ...cookie('alice'), Authorization: 'Basic YWxpY2U6eA==' }, 401],
    ['a token and more', { Authorization: 'Bearer alice-token x' }, 401],
    ['an empty header', { Authorization: '' }, 401],
    ['the scheme in other case', { Authorization: 'bearer alice-token' }, 200],
    ['24: two session cookies', { Cookie: 'session=alice-token; session=alice-token' }, 401],
    ['a cookie of another name', { Cookie: 'xsession=alice-token' }, 401],
  ])('%s', async (_name, headers, status) => {
    await supertest(service.app).get('/os/p').set(headers).expect(status);
  });

  it('two Authorization headers are refused', async () => {
    const server = service.app.listen(0);
    const { port } = server.address() as AddressInfo;
    const headers = ['Host', 'localhost', 'Authorization', 'Bearer alice-token', 'Authorization', 'Bearer carol-token'];
    const status = await new Promise((resolve, reject) => {
      request({ port, path: '/os/p', headers })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    server.close();
    expect(status).toBe(401);
  });

  it('18, 19: only ids count; * lets everybody in', async () => {
    const mail = await startTestService({ read: ['alice@x.org', 'Alice', 'g1 '] });
    await supertest(mail.app).get('/os/p').set(bearer('alice')).expect(403);
    const everybody = await startTestService({ read: ['*'] });
    await supertest(everybody.app).get('/os/p').expect(200);
    await Promise.all([mail.close(), everybody.close()]);
  });
});

describe('requests of other sites (spec/identity.md 5)', () => {
  const own = 'http://data.example.org';
  const evil = 'https://evil.example';
  const friend = 'https://friend.example';
  let guarded: TestService;

  beforeAll(async () => {
    guarded = await startTestService({ environment: { ...devEnvironment, ALLOWED_ORIGINS: `${friend}/` } });
  });

  afterAll(() => guarded.close());

  it.each([
    ['15: foreign Origin', { Origin: evil }, 403],
    ['own Origin', { Origin: own }, 200],
    ['own Origin on another port', { Origin: `${own}:8080` }, 403],
    ['allowed Origin', { Origin: friend }, 200],
    ['Origin null', { Origin: 'null' }, 403],
    ['16: nothing at all', {}, 200],
    ['own Referer', { Referer: `${own}/page` }, 200],
    ['foreign Referer', { Referer: `${evil}/page` }, 403],
    ['Referer that only begins like ours', { Referer: `${own}.evil.example/` }, 403],
    ['Origin counts before Referer', { Origin: own, Referer: evil }, 200],
    ['same-origin', { 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['none', { 'Sec-Fetch-Site': 'none' }, 200],
    ['same-site', { 'Sec-Fetch-Site': 'same-site', Origin: own }, 403],
    ['cross-site', { 'Sec-Fetch-Site': 'cross-site', Origin: own }, 403],
    ['cross-site without Origin', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['cross-site of an allowed origin', { 'Sec-Fetch-Site': 'cross-site', Origin: friend }, 200],
  ])('%s', async (name, headers, status) => {
    for (const method of ['put', 'post', 'delete'] as const) {
      const target = `/os/x?${encodeURIComponent(name)}&${method}`;
      await supertest(guarded.app)[method](target).set(cookie('alice')).set(headers).expect(status);
      expect(guarded.writes.includes(target)).toBe(status === 200);
    }
  });

  it('17: the rule is not for bearers, and not for reading', async () => {
    await supertest(guarded.app).put('/os/x').set(bearer('alice')).set('Origin', evil).expect(200);
    await supertest(guarded.app).put('/os/x').set(bearer('bob')).set('Origin', evil).expect(403);
    await supertest(guarded.app).get('/os/p').set(cookie('alice')).set('Origin', evil).expect(200);
  });
});

describe('development tokens', () => {
  it('end with their time: 401 as bearer, anonymous and cleared as cookie (7)', async () => {
    const expired = [{ ...devTokens[0], expires: '2001-01-01T00:00:00Z' }];
    const late = await startTestService({ environment: { ...devEnvironment, DEV_TOKENS: JSON.stringify(expired) } });
    await supertest(late.app).get('/os/p').set(bearer('alice')).expect(401);
    const answer = await supertest(late.app).get('/os/p').set(cookie('alice')).expect(401);
    expect(answer.body).toMatchObject({ code: 'auth_required' });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^session=; .*Max-Age=0/);
    await late.close();
  });

  it('are refused in production and without dev mode', async () => {
    const refused = (environment: Record<string, string>) =>
      expect(startTestService({ environment: { ...devEnvironment, ...environment } })).rejects.toThrow(ConfigError);
    await refused({ NODE_ENV: 'production' });
    await refused({ AUTH_MODE: 'production' });
  });

  it('are accepted in production with a warning when the operator insists', async () => {
    const insisting = await startTestService({
      environment: { ...devEnvironment, NODE_ENV: 'production', ALLOW_DEV_TOKENS_IN_PRODUCTION: 'true' },
    });
    await supertest(insisting.app).get('/os/p').set(bearer('alice')).expect(200);
    expect(insisting.logLines.some((line) => line.includes('dev_tokens_in_production'))).toBe(true);
    await insisting.close();
  });

  it('23: a process that has them in production ends with an explanation', async () => {
    const script = `
      import { runServiceProcess } from '@holdfast/http-kit';
      import { identityVariables, openIdentity } from ${JSON.stringify(new URL('../src/index.js', import.meta.url).href)};
      await runServiceProcess({ name: 'test', variables: identityVariables, start: async (parts) => {
        await openIdentity({ ...parts, audience: 'urn:service:test' });
        return { handler: null, checks: [], stop: async () => undefined };
      } }, process.env);`;
    const { status, output } = await new Promise<{ status: unknown; output: string }>((resolve) => {
      execFile(
        process.execPath,
        ['--input-type=module', '-e', script],
        { cwd: new URL('../..', import.meta.url), env: { ...process.env, ...devEnvironment, NODE_ENV: 'production' } },
        (error, stdout, stderr) => resolve({ status: error?.code, output: stdout + stderr }),
      );
    });
    expect(status).toBe(1);
    expect(output).toContain('DEV_TOKENS: development tokens are passwords that everybody knows');
  });
});

describe('the deriva profile', () => {
  it('calls the cookie webauthn and answers below every prefix too', async () => {
    const deriva = await startTestService({ environment: { ...devEnvironment, WIRE_PROFILE: 'deriva' } });
    for (const prefix of ['', '/ermrest', '/hatrac', '/deriva/export'])
      await supertest(deriva.app).get(`${prefix}/authn/session`).set('Cookie', 'webauthn=alice-token').expect(200);
    await supertest(deriva.app).get('/authn/session').set('Cookie', 'session=alice-token').expect(404);
    await deriva.close();
  });
});
