import { grants, isAnonymous } from '@holdfast/acl';
import {
  createLogger,
  createMetrics,
  denied,
  type Environment,
  parseEnvironment,
  processVariables,
  sendJson,
  serviceApp,
  wireProfile,
} from '@holdfast/http-kit';
import type { Express } from 'express';
import { clientOf, type Identity, type IdentityPorts, identityVariables, openIdentity } from '../src/index.js';

/** The clients of spec/identity.md 3.4. */
export const devTokens = [
  { token: 'alice-token', client: { id: 'alice', display_name: 'alice' }, attributes: [{ id: 'g1' }] },
  { token: 'bob-token', client: { id: 'bob', display_name: 'bob' }, attributes: [{ id: 'g1' }, { id: 'g2' }] },
  { token: 'carol-token', client: { id: 'carol', display_name: 'carol' } },
  { token: 'admin-token', client: { id: 'admin', display_name: 'admin' }, attributes: [{ id: 'admin' }] },
];

/** A service with one rule: `/os/p` may be read with the list `read`, anything below `/os` written with `write`. */
export interface TestService {
  readonly app: Express;
  readonly identity: Identity;
  readonly logLines: string[];
  /** Targets of the writes that got through. */
  readonly writes: string[];
  close(): Promise<void>;
}

export interface TestServiceOptions {
  readonly environment?: Environment;
  readonly audience?: string;
  readonly ports?: IdentityPorts;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

export const devEnvironment: Environment = {
  AUTH_MODE: 'dev',
  DEV_TOKENS: JSON.stringify(devTokens),
  PUBLIC_URL: 'http://data.example.org',
};

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { environment = devEnvironment, audience = 'urn:service:objectstore', ports, read = ['g1'] } = options;
  const write = options.write ?? ['admin', 'alice', 'carol'];
  const config = parseEnvironment({ ...processVariables, ...identityVariables }, environment);
  const profile = wireProfile(config.WIRE_PROFILE);
  const logLines: string[] = [];
  const writes: string[] = [];
  const log = createLogger({
    service: 'test',
    level: 'trace',
    destination: { write: (line: string) => logLines.push(line) },
  });
  const identity = await openIdentity({ config, profile, log, audience, ...(ports === undefined ? {} : { ports }) });
  const app = serviceApp({
    log,
    metrics: createMetrics(),
    profile,
    stopSignal: new AbortController().signal,
    trustProxy: 'loopback',
    routes: (routes) => {
      routes.use(identity.authenticate, identity.sessionRoutes);
      routes.use('/os', (request, response) => {
        const { client, roles, session, actor } = clientOf(request);
        const reading = request.method === 'GET' || request.method === 'HEAD';
        const list = reading ? read : write;
        if (!grants(list, roles)) throw denied(isAnonymous(roles), 'You are not on the list.');
        if (!reading) writes.push(request.originalUrl);
        sendJson(request, response, 200, { client, roles: [...roles], kind: session?.kind ?? null, actor });
      });
    },
  });
  return { app, identity, logLines, writes, close: () => identity.close() };
}
