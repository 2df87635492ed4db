import { describe, expect, it } from '@jest/globals';
import { type JobEvent, type JobState, nextJobState } from './job-states.js';

describe('the states of an upload job', () => {
  const edges: readonly (readonly [JobState, JobEvent, string])[] = [
    ['open', 'chunk', 'open'],
    ['open', 'finalize', 'finalizing'],
    ['open', 'cancel', 'removed'],
    ['open', 'expire', 'removed'],
    ['open', 'object-deleted', 'removed'],
    ['finalizing', 'fail', 'open'],
    ['finalizing', 'lease-over', 'open'],
    ['finalizing', 'commit', 'removed'],
    ['finalizing', 'object-deleted', 'removed'],
    ['open', 'fail', 'busy'],
    ['open', 'lease-over', 'busy'],
    ['open', 'commit', 'busy'],
    ['finalizing', 'chunk', 'busy'],
    ['finalizing', 'finalize', 'busy'],
    ['finalizing', 'cancel', 'busy'],
    ['finalizing', 'expire', 'busy'],
  ];
  it.each(edges)('%s, %s: %s', (state, event, next) => {
    if (next === 'busy')
      expect(() => nextJobState(state, event)).toThrow(expect.objectContaining({ code: 'job_busy' }));
    else expect(nextJobState(state, event)).toBe(next);
  });
});
