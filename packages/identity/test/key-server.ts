import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** A provider with one signing key, as far as checking its tokens goes. */
export interface KeyServer {
  readonly issuer: string;
  readonly publicJwk: JWK;
  /** Requests for the key set so far. */
  readonly fetches: () => number;
  /** What `userinfo` says, and how often it was asked with which header. */
  readonly userinfo: { claims: JWTPayload; readonly asked: (string | undefined)[] };
  /** Answers 500 from now on, or not any more. */
  fail(failing: boolean): void;
  /** Signs claims; issuer, audience `data`, subject, times and key id are those of a good token unless given. */
  sign(claims?: JWTPayload, header?: { readonly kid?: string }): Promise<string>;
  /** A new key replaces the old one, under another id. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

/** @param now clock in milliseconds */
export async function startKeyServer(now: () => number): Promise<KeyServer> {
  let fetches = 0;
  const userinfo: KeyServer['userinfo'] = { claims: {}, asked: [] };
  let failing = false;
  let generation = 0;
  let pair = await generateKeyPair('ES256');
  let publicJwk: JWK = {};
  const publish = async (): Promise<void> => {
    generation += 1;
    publicJwk = { ...(await exportJWK(pair.publicKey)), kid: `key-${generation}`, alg: 'ES256', use: 'sig' };
  };
  await publish();
  const server = createServer((request, response) => {
    const documents: Record<string, unknown> = {
      '/.well-known/openid-configuration': {
        issuer,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/userinfo`,
      },
      '/userinfo': userinfo.claims,
      '/keys': { keys: [publicJwk] },
    };
    if (request.url === '/keys') fetches += 1;
    if (request.url === '/userinfo') userinfo.asked.push(request.headers.authorization);
    const document = documents[request.url ?? ''];
    response.writeHead(failing ? 500 : document === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    get publicJwk() {
      return publicJwk;
    },
    userinfo,
    fetches: () => fetches,
    fail: (value) => {
      failing = value;
    },
    sign: (claims = {}, header = {}) => {
      const seconds = Math.floor(now() / 1000);
      return new SignJWT({ iss: issuer, aud: 'data', sub: '4711', iat: seconds, exp: seconds + 900, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: publicJwk.kid ?? '', ...header })
        .sign(pair.privateKey);
    },
    rotate: async () => {
      pair = await generateKeyPair('ES256');
      await publish();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
