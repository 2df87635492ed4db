import { contextOf, methodNotAllowed, sendJson } from '@holdfast/http-kit';
import { credentialOf, jobOfDelegation } from '@holdfast/identity';
import type { Express } from 'express';
import { isFinal } from '../job/export-state.js';
import type { ApiParts } from './export-parts.js';

/**
 * `GET /job/<id>/delegation`, for the other services: whether a token that was made for the export still counts
 * (spec/identity.md 6.1). They show that very token, which is made out to them and not to us; who has none learns nothing.
 */
export function mountDelegationRoute(app: Express, parts: ApiParts): void {
  app.use(async (request, response, next) => {
    const [path = ''] = request.originalUrl.split('?');
    const id = /\/job\/([0-9a-f-]{36})\/delegation\/?$/.exec(path)?.[1];
    const isOurs = parts.profile.exportPrefixes.some((prefix) => path.startsWith(`${prefix}/job/`));
    if (id === undefined || !isOurs) return next();
    contextOf(request).route = 'delegation';
    if (request.method !== 'GET') throw methodNotAllowed(['GET']);
    const credential = credentialOf(request, '');
    const token = credential.kind === 'bearer' ? credential.token : '';
    const isOfThisJob = (await jobOfDelegation(parts.config.SERVICE_JWKS, token)) === id;
    const record = isOfThisJob ? await parts.store.find(id) : null;
    response.setHeader('Cache-Control', 'no-store');
    sendJson(request, response, 200, { active: record !== null && !isFinal(record.state) });
  });
}
