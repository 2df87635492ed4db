import { generateKeyPairSync } from 'node:crypto';
import { checkHealth } from '@holdfast/http-kit';
import { type Database, openDatabase, sql } from '@holdfast/pg-kit';
import { createTestDatabase, type TestDatabase } from '@holdfast/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JWK } from 'jose';
import supertest from 'supertest';
import { knownContext } from '../src/client-context.js';
import { serviceSigner, setLocalPassword } from '../src/index.js';
import { devEnvironment, startTestService, type TestService } from './test-service.js';

const clock = { time: Date.parse('2025-01-02T10:00:00Z') };
const PASSWORD = 'correct horse battery';
const signingKey = generateKeyPairSync('ed25519');
let home: TestDatabase;
let database: Database;
let service: TestService;

beforeAll(async () => {
  home = await createTestDatabase('identity');
  database = openDatabase({ url: home.url, applicationName: 'identity test', maxConnections: 2 });
  await setLocalPassword(database, 'dora', PASSWORD, { attributes: [{ id: 'g1' }] });
  service = await start({});
});

afterAll(async () => {
  await service.close();
  await database.close();
  await home.drop();
});

beforeEach(async () => {
  clock.time += 86_400_000;
  await database.withConnection(null, (connection) => connection.execute(sql`delete from auth_login_failure`));
});

function start(more: Record<string, string>, url = home.url): Promise<TestService> {
  const publicJwk = { ...signingKey.publicKey.export({ format: 'jwk' }), kid: 'k' };
  return startTestService({
    environment: {
      ...devEnvironment,
      IDENTITY_DATABASE_URL: url,
      PASSWORD_LOGIN: 'local',
      SERVICE_JWKS: JSON.stringify({ keys: [publicJwk] }),
      ...more,
    },
    ports: { now: () => clock.time },
    write: ['dora'],
  });
}

const login = (username: string, password: string, address = '192.0.2.1') =>
  supertest(service.app)
    .post('/authn/session')
    .set('X-Forwarded-For', address)
    .type('form')
    .send({ username, password });

async function loggedIn(): Promise<string> {
  const answer = await login('dora', PASSWORD).expect(200);
  return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

describe('logging in with name and password', () => {
  it('11: gives the document and a cookie that lets the client in', async () => {
    const answer = await login('dora', PASSWORD).expect(200);
    expect(answer.body).toMatchObject({
      client: { id: 'dora', display_name: 'dora', identities: ['dora'] },
      attributes: [{ id: 'dora' }, { id: 'g1' }],
      since: new Date(clock.time).toISOString().replace('Z', '+00:00'),
      seconds_remaining: 1800,
    });
    const cookies = answer.headers['set-cookie'] as unknown as readonly string[];
    expect(cookies).toEqual([expect.stringMatching(/^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)]);
    const cookie = cookies[0]?.split(';')[0] ?? '';
    await supertest(service.app).get('/os/p').set('Cookie', cookie).expect(200);
    const id = cookie.slice('session='.length);
    expect(answer.text).not.toContain(id);
    const [row] = await database.withConnection(null, (connection) =>
      connection.query<{ readonly found: boolean }>(
        sql`select count(*) filter (where auth_session::text like ${`%${id}%`}) > 0 as found from auth_session`,
      ),
    );
    expect(row?.found).toBe(false);
  });

  it('11: is refused for a wrong password or name in the same words, for missing fields, and while logged in', async () => {
    const wrong = await login('dora', 'x').expect(401);
    const unknown = await login('nobody', 'x').expect(401);
    expect({ ...unknown.body, request_id: '' }).toEqual({ ...wrong.body, request_id: '' });
    expect(wrong.headers['set-cookie']).toBeUndefined();
    const form = (text: string) => supertest(service.app).post('/authn/session').type('form').send(text);
    await form('username=dora').expect(400);
    await form('password=x').expect(400);
    await form('username=dora&password=').expect(400);
    await form('username=dora&username=admin&password=x').expect(400);
    await supertest(service.app).post('/authn/session').expect(400);
    await supertest(service.app).post('/authn/session').send({ username: 'dora', password: PASSWORD }).expect(415);
    const cookie = await loggedIn();
    await supertest(service.app)
      .post('/authn/session')
      .set('Cookie', cookie)
      .type('form')
      .send('username=a')
      .expect(409);
    await supertest(service.app).post('/authn/session').set('Authorization', 'Bearer bob-token').expect(409);
  });

  it('is refused when another site sends the form', async () => {
    await login('dora', PASSWORD).set('Origin', 'https://evil.example').expect(403);
    await login('dora', PASSWORD).set('Origin', 'http://data.example.org').expect(200);
  });

  it('gives a new id each time and replaces a stale cookie', async () => {
    const first = await loggedIn();
    const planted = `session=${'A'.repeat(43)}`;
    const answer = await login('dora', PASSWORD).set('Cookie', planted).expect(200);
    const cookies = answer.headers['set-cookie'] as unknown as readonly string[];
    expect(cookies).toHaveLength(1);
    const second = cookies[0]?.split(';')[0];
    expect(second).toMatch(/^session=[\w-]{43}$/);
    expect([first, planted]).not.toContain(second);
  });

  it('stops after ten failures of a name or an address, for ten minutes', async () => {
    for (let n = 0; n < 10; n += 1) await login('dora', 'wrong', `192.0.2.${n}`).expect(401);
    const refused = await login('dora', PASSWORD, '192.0.2.99').expect(429);
    expect(refused.headers['retry-after']).toBe('600');
    clock.time += 601_000;
    await login('dora', PASSWORD, '192.0.2.99').expect(200);
    for (let n = 0; n < 10; n += 1) await login(`guess-${n}`, 'wrong', '198.51.100.1').expect(401);
    await login('dora', PASSWORD, '198.51.100.1').expect(429);
    await login('dora', PASSWORD, '198.51.100.2').expect(200);
  });

  it('lets no more than ten of many at once look at the password', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => login('dora', 'wrong')));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
  });

  it('does not count logins that succeed', async () => {
    for (let n = 0; n < 12; n += 1) await login('dora', PASSWORD).expect(200);
  });

  it('shows its form, and sends nobody elsewhere', async () => {
    const answer = await supertest(service.app).get('/authn/preauth?referrer=/page').expect(200);
    expect(answer.body).toEqual({
      authentication_type: 'database',
      login_form: {
        method: 'POST',
        action: '/authn/session',
        input_fields: [
          { type: 'text', name: 'username' },
          { type: 'password', name: 'password' },
        ],
      },
    });
    await supertest(service.app).get('/authn/preauth?referrer=https://evil.example/').expect(400);
  });

  it('marks the cookie Secure unless the site is plain http and in development', async () => {
    const marks = async (more: Record<string, string>) => {
      const other = await start(more);
      const answer = await supertest(other.app)
        .post('/authn/session')
        .type('form')
        .send({ username: 'dora', password: PASSWORD });
      await other.close();
      return answer.headers['set-cookie']?.[0]?.includes('; Secure;');
    };
    expect(await marks({ PUBLIC_URL: 'https://data.example.org' })).toBe(true);
    expect(await marks({ AUTH_MODE: 'production', DEV_TOKENS: '[]' })).toBe(true);
  });
});

describe('a cookie session', () => {
  const session = (cookie: string) => supertest(service.app).get('/authn/session').set('Cookie', cookie);

  it('12: is extended by PUT, its beginning stays', async () => {
    const cookie = await loggedIn();
    const before = (await session(cookie).expect(200)).body;
    clock.time += 30_000;
    const extended = (await supertest(service.app).put('/authn/session').set('Cookie', cookie).expect(200)).body;
    const after = (await session(cookie).expect(200)).body;
    expect(after.since).toBe(before.since);
    expect(Date.parse(after.expires) - Date.parse(before.expires)).toBe(30_000);
    expect(extended.expires).toBe(after.expires);
  });

  it('is extended by use, at most once a minute', async () => {
    const cookie = await loggedIn();
    const expires = async () => Date.parse((await session(cookie).expect(200)).body.expires) - clock.time;
    clock.time += 50_000;
    expect(await expires()).toBe(1_750_000);
    clock.time += 20_000;
    expect(await expires()).toBe(1_800_000);
  });

  it('7: ends half an hour after its last use: anonymous, and the cookie is cleared', async () => {
    const cookie = await loggedIn();
    clock.time += 1_799_000;
    await supertest(service.app).get('/os/p').set('Cookie', cookie).expect(200);
    clock.time += 1_801_000;
    const answer = await supertest(service.app).get('/os/p').set('Cookie', cookie).expect(401);
    expect(answer.headers['set-cookie']?.[0]).toContain('Max-Age=0');
    await supertest(service.app).put('/authn/session').set('Cookie', cookie).expect(404);
  });

  it('ends after twelve hours however much it is used', async () => {
    const cookie = await loggedIn();
    for (let n = 0; n < 24; n += 1) {
      await session(cookie).expect(200);
      clock.time += 1_795_000;
    }
    const last = await session(cookie).expect(200);
    expect(last.body.seconds_remaining).toBe(24 * 5);
    clock.time += 121_000;
    await session(cookie).expect(404);
  });

  it('13: is gone after DELETE', async () => {
    const cookie = await loggedIn();
    const answer = await supertest(service.app).delete('/authn/session').set('Cookie', cookie).expect(200);
    expect(answer.body).toEqual({ logout_url: '/' });
    await session(cookie).expect(404);
    await supertest(service.app).get('/os/p').set('Cookie', cookie).expect(401);
    await supertest(service.app).delete('/authn/session').set('Cookie', cookie).expect(404, { logout_url: '/' });
  });

  it('14, 15: is ended by nobody else, nor with a foreign target', async () => {
    const cookie = await loggedIn();
    const end = (target: string) => supertest(service.app).delete(target).set('Cookie', cookie);
    await end('/authn/session?logout_url=https://evil.example/').expect(400);
    await end('/authn/session').set('Origin', 'https://evil.example').expect(403);
    await supertest(service.app).put('/os/x').set('Cookie', cookie).set('Origin', 'https://evil.example').expect(403);
    expect(service.writes).toEqual([]);
    await supertest(service.app).put('/os/x').set('Cookie', cookie).expect(200);
    await session(cookie).expect(200);
  });

  it('takes the tokens delegated in it along when it is logged out, not when it expires', async () => {
    const signer = serviceSigner({ ...signingKey.privateKey.export({ format: 'jwk' }), kid: 'k' } as JWK, {
      now: () => clock.time,
    });
    const delegated = async (cookie: string) => {
      const [row] = await database.withConnection(null, (connection) =>
        connection.query<{ readonly key: string }>(
          sql`select encode(key_hash, 'hex') as key from auth_session
            where key_hash = sha256(${Buffer.from(cookie.slice('session='.length))})`,
        ),
      );
      const context = knownContext({
        client: { id: 'dora' },
        attributes: [{ id: 'g1' }],
        session: { kind: 'cookie', since: new Date(), expires: null, key: row?.key ?? '' },
      });
      return signer.delegate({ context, exportId: cookie, audiences: ['urn:service:objectstore'], seconds: 7200 });
    };
    const [left, expired] = [await loggedIn(), await loggedIn()];
    const [tokenOfLeft, tokenOfExpired] = [await delegated(left), await delegated(expired)];
    await supertest(service.app).delete('/authn/session').set('Cookie', left).expect(200);
    clock.time += 1_801_000;
    await session(expired).expect(404);
    await supertest(service.app).get('/os/p').set('Authorization', `Bearer ${tokenOfLeft}`).expect(401);
    await supertest(service.app).get('/os/p').set('Authorization', `Bearer ${tokenOfExpired}`).expect(200);
  });
});

describe('local users', () => {
  it('keep who they are when their password changes', async () => {
    await setLocalPassword(database, 'eve', 'one', { client: { id: 'users/eve', email: 'e@x.org' } });
    await setLocalPassword(database, 'eve', 'two', { attributes: [{ id: 'g2' }] });
    await login('eve', 'one').expect(401);
    const answer = await login('eve', 'two').expect(200);
    expect(answer.body.client).toMatchObject({ id: 'users/eve', email: 'e@x.org' });
    expect(answer.body.attributes).toEqual([{ id: 'users/eve', display_name: 'users/eve' }, { id: 'g2' }]);
  });

  it('need a name and a password', async () => {
    await expect(setLocalPassword(database, '', 'x')).rejects.toThrow(TypeError);
    await expect(setLocalPassword(database, '*', 'x')).rejects.toThrow(TypeError);
    await expect(setLocalPassword(database, 'frank', '')).rejects.toThrow(TypeError);
  });
});

describe('without its database', () => {
  it('a service says 503 to cookies and still knows bearers', async () => {
    const away = await createTestDatabase('identity_away');
    const other = await start({}, away.url);
    await away.drop();
    const cookie = `session=${'A'.repeat(43)}`;
    await supertest(other.app).get('/os/p').set('Cookie', cookie).expect(503);
    await supertest(other.app).get('/os/p').set('Cookie', cookie).expect(503);
    await supertest(other.app).get('/os/p').set('Authorization', 'Bearer alice-token').expect(200);
    await supertest(other.app).post('/authn/session').type('form').send('username=dora&password=x').expect(503);
    const report = await checkHealth(other.identity.checks, () => undefined);
    expect(report).toEqual({ ready: false, checks: { identity_database: 'failed' } });
    await other.close();
  });

  it('a service says 503 when it does not answer as it should', async () => {
    const broken = await createTestDatabase('identity_broken');
    const other = await start({}, broken.url);
    const operator = openDatabase({ url: broken.url, applicationName: 'identity test', maxConnections: 1 });
    await operator.withConnection(null, (connection) => connection.execute(sql`drop table auth_session`));
    await supertest(other.app)
      .get('/os/p')
      .set('Cookie', `session=${'A'.repeat(43)}`)
      .expect(503);
    await other.close();
    await operator.close();
    await broken.drop();
  });

  it('a service does not start with password login', async () => {
    await expect(startTestService({ environment: { PASSWORD_LOGIN: 'local' } })).rejects.toThrow('PASSWORD_LOGIN');
  });
});
