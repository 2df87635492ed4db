import { AppError } from '@holdfast/http-kit';
import { describe, expect, it } from '@jest/globals';
import { rateLimiter } from './rate-limit.js';

describe('the rate limit', () => {
  const setUp = () => {
    let milliseconds = 0;
    const limiter = rateLimiter({ perSecond: 0.5, burst: 2 }, () => milliseconds);
    const outcome = (client: string): string => {
      try {
        limiter.pass(client);
        return 'passed';
      } catch (error) {
        return error instanceof AppError ? `${error.status} after ${error.headers['Retry-After']}` : 'defect';
      }
    };
    return { outcome, wait: (seconds: number) => (milliseconds += seconds * 1000) };
  };

  it('lets a burst through, then one request each time the bucket has filled up for it', () => {
    const { outcome, wait } = setUp();
    expect([outcome('a'), outcome('a'), outcome('a')]).toEqual(['passed', 'passed', '429 after 2']);
    wait(1);
    expect(outcome('a')).toBe('429 after 1');
    wait(1);
    expect([outcome('a'), outcome('a')]).toEqual(['passed', '429 after 2']);
    wait(1000);
    expect([outcome('a'), outcome('a'), outcome('a')]).toEqual(['passed', 'passed', '429 after 2']);
  });

  it('counts each client alone, also among very many', () => {
    const { outcome, wait } = setUp();
    for (let number = 0; number < 25_000; number += 1) {
      if (outcome(`client ${number}`) !== 'passed') throw new Error(`client ${number} was refused`);
      wait(0.0001);
    }
    outcome('a');
    outcome('a');
    for (let number = 0; number < 25_000; number += 1) outcome(`client ${number}`);
    expect(outcome('a')).toBe('429 after 2');
  });
});
