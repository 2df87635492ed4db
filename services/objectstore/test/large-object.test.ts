import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestStore, type TestStore } from './test-store.js';

const MIB = 1024 * 1024;
const SIZE = 200 * MIB;

describe('a large object', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore();
  });
  afterAll(() => store.close());

  it('goes in and out without being held', async () => {
    const piece = Buffer.alloc(MIB, 'holdfast');
    const sha256 = createHash('sha256');
    for (let count = 0; count < SIZE / MIB; count += 1) sha256.update(piece);
    const peak = watchMemory();
    const base = { host: '127.0.0.1', port: store.http.port, path: '/os/large' };
    const headers = { Authorization: 'Bearer alice', 'Content-Length': SIZE };
    const uploaded = await new Promise<number>((resolve, reject) => {
      const sent = httpRequest({ ...base, method: 'PUT', headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      }).on('error', reject);
      const more = (left: number): void => {
        if (left === 0) sent.end();
        else sent.write(piece, () => more(left - MIB));
      };
      more(SIZE);
    });
    expect(uploaded).toBe(201);
    const received = createHash('sha256');
    const { status, hash } = await new Promise<{ status: number; hash: string }>((resolve, reject) => {
      httpRequest({ ...base, headers: { Authorization: 'Bearer alice' } }, (response) => {
        response.on('data', (chunk: Buffer) => received.update(chunk)).on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, hash: String(response.headers['content-sha256']) }),
        );
      })
        .on('error', reject)
        .end();
    });
    const digest = sha256.digest('base64');
    expect([status, hash, received.digest('base64')]).toEqual([200, digest, digest]);
    // this process is client and server at once
    expect(peak.stop()).toBeLessThan(120 * MIB);
  });
});

/** Growth of resident memory until it is stopped. */
function watchMemory(): { stop(): number } {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  return {
    stop: () => {
      clearInterval(timer);
      return most - before;
    },
  };
}
