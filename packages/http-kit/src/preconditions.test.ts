import { describe, expect, it } from '@jest/globals';
import { evaluatePreconditions } from './preconditions.js';

const state = (method: string, headers: { ifMatch?: string; ifNoneMatch?: string }, etag: string | null = '"v1"') =>
  evaluatePreconditions({ method, ifMatch: headers.ifMatch, ifNoneMatch: headers.ifNoneMatch, etag });

describe('preconditions', () => {
  it.each([
    ['GET', { ifMatch: '"v1"' }, 'proceed'],
    ['GET', { ifMatch: '"x"' }, 'if_match_failed'],
    ['GET', { ifMatch: '*' }, 'proceed'],
    ['GET', { ifNoneMatch: '"v1"' }, 'not_modified'],
    ['HEAD', { ifNoneMatch: '*' }, 'not_modified'],
    ['GET', { ifNoneMatch: '"x"' }, 'proceed'],
    ['PUT', { ifMatch: '"x"' }, 'if_match_failed'],
    ['PUT', { ifNoneMatch: '"v1"' }, 'if_none_match_failed'],
    ['DELETE', { ifNoneMatch: '*' }, 'if_none_match_failed'],
    ['GET', {}, 'proceed'],
  ] as const)('%s with %j gives %s when the state exists', (method, headers, outcome) => {
    expect(state(method, headers)).toBe(outcome);
  });

  it('lets If-None-Match pass and If-Match fail where there is no state', () => {
    expect(state('PUT', { ifNoneMatch: '*' }, null)).toBe('proceed');
    expect(state('PUT', { ifMatch: '*' }, null)).toBe('if_match_failed');
    expect(state('PUT', { ifMatch: '"v1"' }, null)).toBe('if_match_failed');
  });

  it('understands lists, weak tags and the suffix of compressing proxies', () => {
    expect(state('GET', { ifNoneMatch: '"a", W/"v1"' })).toBe('not_modified');
    expect(state('GET', { ifNoneMatch: '"v1-gzip"' })).toBe('not_modified');
    expect(state('GET', { ifMatch: '"x","v1"' })).toBe('proceed');
  });

  it('ignores a header without quotes', () => {
    expect(state('GET', { ifNoneMatch: 'v1' })).toBe('proceed');
    expect(state('PUT', { ifMatch: 'x' })).toBe('proceed');
  });

  it('needs both headers to hold', () => {
    expect(state('GET', { ifMatch: '"v1"', ifNoneMatch: '"v1"' })).toBe('not_modified');
    expect(state('GET', { ifMatch: '"x"', ifNoneMatch: '"x"' })).toBe('if_match_failed');
  });
});
