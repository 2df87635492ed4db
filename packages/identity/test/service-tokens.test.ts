import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CryptoKey, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import supertest from 'supertest';
import { knownContext } from '../src/client-context.js';
import { anonymousContext, type ClientContext, type ServiceSigner, serviceSigner } from '../src/index.js';
import { startTestService, type TestService } from './test-service.js';

const clock = { time: Date.parse('2025-01-02T10:00:00Z') };
const now = () => clock.time;
const revoked = new Set<string>();
const asked: string[] = [];
const isDelegationRevoked = async (jobId: string): Promise<boolean> => {
  asked.push(jobId);
  return revoked.has(jobId);
};
let privateKey: CryptoKey | Uint8Array;
let kid: string;
let signer: ServiceSigner;
let stranger: ServiceSigner;
let service: TestService;
let exportId: string;

function newKey(): { readonly privateJwk: JWK; readonly publicJwk: JWK } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const kid = randomUUID();
  return {
    privateJwk: { ...privateKey.export({ format: 'jwk' }), kid } as JWK,
    publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA' } as JWK,
  };
}

const alice: ClientContext = knownContext({
  client: { id: 'alice', displayName: 'Alice' },
  attributes: [{ id: 'g1' }],
  session: { kind: 'static', since: new Date(), expires: null, key: '00' },
});

beforeAll(async () => {
  const { privateJwk, publicJwk } = newKey();
  kid = privateJwk.kid ?? '';
  privateKey = await importJWK(privateJwk, 'EdDSA');
  signer = serviceSigner(privateJwk, { now });
  stranger = serviceSigner({ ...newKey().privateJwk, kid: privateJwk.kid ?? '' }, { now });
  service = await startTestService({
    environment: { SERVICE_JWKS: JSON.stringify({ keys: [publicJwk] }) },
    ports: { now, isDelegationRevoked },
    read: ['g1', 'urn:service:export'],
    write: ['alice', 'urn:service:export'],
  });
});

afterAll(() => service.close());

beforeEach(() => {
  exportId = randomUUID();
});

const delegate = (more: { by?: ServiceSigner; audiences?: readonly string[] } = {}) =>
  (more.by ?? signer).delegate({
    context: alice,
    exportId,
    audiences: more.audiences ?? ['urn:service:catalog', 'urn:service:objectstore'],
    seconds: 3600,
  });
const as = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('a delegated token', () => {
  it('acts as the client, with its groups, and says for whom', async () => {
    const answer = await supertest(service.app)
      .get('/os/p')
      .set(as(await delegate()))
      .expect(200);
    expect(answer.body).toEqual({
      client: { id: 'alice', displayName: 'Alice' },
      roles: ['*', 'alice', 'g1'],
      kind: 'delegated',
      actor: 'urn:service:export',
    });
  });

  it('21: reads only, whatever the client may', async () => {
    const token = await delegate();
    for (const method of ['put', 'post', 'delete', 'patch', 'options'] as const)
      await supertest(service.app)[method]('/os/p/y').set(as(token)).expect(403);
    await supertest(service.app).head('/os/p').set(as(token)).expect(200);
    expect(service.writes).toEqual([]);
  });

  it('is good only for its audiences, its time and with its key', async () => {
    await supertest(service.app)
      .get('/os/p')
      .set(as(await delegate({ audiences: ['urn:service:catalog'] })))
      .expect(401);
    await supertest(service.app)
      .get('/os/p')
      .set(as(await delegate({ by: stranger })))
      .expect(401);
    const token = await delegate();
    clock.time += 3_700_000;
    await supertest(service.app).get('/os/p').set(as(token)).expect(401);
  });

  it('ends with its job, a minute late at most', async () => {
    const token = await delegate();
    await supertest(service.app).get('/os/p').set(as(token)).expect(200);
    await supertest(service.app).get('/os/p').set(as(token)).expect(200);
    expect(asked.filter((jobId) => jobId === exportId)).toHaveLength(1);
    revoked.add(exportId);
    clock.time += 60_000;
    await supertest(service.app).get('/os/p').set(as(token)).expect(401);
  });

  it('is not made for nobody, nor from another one', async () => {
    const request = { exportId, audiences: ['urn:service:catalog'], seconds: 60 };
    await expect(signer.delegate({ ...request, context: anonymousContext })).rejects.toThrow(TypeError);
    const delegated = knownContext({
      client: { id: 'alice' },
      attributes: [],
      session: { kind: 'delegated', since: new Date(), expires: null, key: '00' },
    });
    await expect(signer.delegate({ ...request, context: delegated })).rejects.toThrow(TypeError);
  });
});

describe('the token of a service', () => {
  it('acts as the service, for five minutes, at one other', async () => {
    const token = await signer.serviceToken('urn:service:objectstore');
    const answer = await supertest(service.app).put('/os/r').set(as(token)).expect(200);
    expect(answer.body).toMatchObject({ client: { id: 'urn:service:export' }, kind: 'service', actor: null });
    await supertest(service.app)
      .get('/os/p')
      .set(as(await signer.serviceToken('urn:service:catalog')))
      .expect(401);
    await supertest(service.app)
      .get('/os/p')
      .set(as(await stranger.serviceToken('urn:service:objectstore')))
      .expect(401);
    clock.time += 361_000;
    await supertest(service.app).put('/os/r').set(as(token)).expect(401);
  });
});

describe('a token signed with a service key but wrongly made', () => {
  const good = () => {
    const seconds = Math.floor(clock.time / 1000);
    return { aud: 'urn:service:objectstore', iat: seconds, exp: seconds + 300 };
  };
  const delegation = () => ({
    ...good(),
    iss: 'urn:service:identity',
    sub: 'alice',
    client: { id: 'alice' },
    attributes: [{ id: 'g1' }],
    act: { sub: 'urn:service:export' },
    scope: 'read',
    jti: exportId,
  });
  const service300 = () => ({ ...good(), iss: 'urn:service:export', sub: 'urn:service:export' });
  const get = async (claims: JWTPayload, status: number) => {
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey);
    await supertest(service.app).get('/os/p').set(as(token)).expect(status);
  };

  it('is refused for each fault', async () => {
    await get(delegation(), 200);
    await get({ ...delegation(), sub: 'bob' }, 401);
    await get({ ...delegation(), scope: 'write' }, 401);
    await get({ ...delegation(), jti: undefined }, 401);
    await get({ ...delegation(), act: undefined }, 401);
    await get({ ...delegation(), client: { id: '*' }, sub: '*' }, 401);
    await get(service300(), 200);
    await get({ ...service300(), sub: 'urn:service:catalog' }, 401);
    await get({ ...service300(), sub: 'alice' }, 401);
    await get({ ...service300(), exp: good().exp + 1 }, 401);
    await get({ ...service300(), iat: good().iat + 120, exp: good().exp + 120 }, 401);
    await get({ ...service300(), iat: undefined }, 401);
  });
});
