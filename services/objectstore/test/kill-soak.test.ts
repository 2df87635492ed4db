import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CrashingService, openCrashingService } from './crash-service.js';
import type { Answer, HttpClient } from './http-client.js';
import { ADAPTERS } from './s3-bucket.js';

/** Kills per adapter: a few here, some hundreds with KILLS=200. */
const KILLS = Number(process.env.KILLS ?? 4);
const CLIENTS = 4;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHUNK = 40_000;

/** What a client knows of its own object: what was acknowledged, and what may have become of a request without an answer. */
interface Known {
  name: string;
  content: Buffer | null;
  perhaps: readonly (Buffer | null)[];
}

describe.each(ADAPTERS)('a process killed at random under load, on %s', (adapter) => {
  let service: CrashingService;
  beforeAll(async () => {
    service = await openCrashingService(adapter);
  });
  afterAll(() => service.close());

  it(
    'loses nothing that was acknowledged, and keeps nothing that was not',
    async () => {
      const clients = Array.from(
        { length: CLIENTS },
        (_, index): Known => ({ name: `c${index}-0`, content: null, perhaps: [] }),
      );
      let acknowledged = 0;
      for (let round = 0; round < KILLS; round += 1) {
        const http = await service.http();
        for (const known of clients) await expectKnown(http, known);
        const stop = { now: false };
        const working = clients.map(async (known) => {
          while (!stop.now) {
            if (await act(http, known)) acknowledged += 1;
            else return;
          }
        });
        await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 600));
        stop.now = true;
        await service.kill();
        await Promise.all(working);
        await service.repair();
        expect(await service.faults()).toEqual([]);
      }
      const http = await service.http();
      for (const known of clients) await expectKnown(http, known);
      expect(acknowledged).toBeGreaterThan(0);
    },
    KILLS * 60_000 + 60_000,
  );
});

/** The object is what was acknowledged last, or what an unanswered request would have made of it. Which, is known from now on. */
async function expectKnown(http: HttpClient, known: Known): Promise<void> {
  const got = await http('GET', `/objects/${known.name}`, { as: 'alice' });
  const possible = [known.content, ...known.perhaps];
  const found = possible.find((content) =>
    content === null ? got.status !== 200 : got.status === 200 && got.bytes.equals(content),
  );
  if (found === undefined)
    throw new Error(
      `${known.name} is ${got.status === 200 ? shown(got.bytes) : got.status}, not one of ${possible.map(shown)}`,
    );
  known.content = found;
  known.perhaps = [];
  // a name that is gone is gone for ever
  if (got.status !== 200) known.name = nextName(known.name);
}

function shown(content: Buffer | null): string {
  return content === null ? 'nothing' : `${content.byteLength} bytes ${content.toString('hex', 0, 4)}`;
}

/** @returns whether the request, or all of them, were answered */
async function act(http: HttpClient, known: Known): Promise<boolean> {
  const dice = Math.random();
  if (known.content === null || dice < 0.5)
    return replace(http, known, randomBytes(Math.floor(Math.random() * 100_000)), simply);
  if (dice < 0.75) return replace(http, known, randomBytes(CHUNK + Math.floor(Math.random() * CHUNK)), byChunks);
  if (dice < 0.9) return rename(http, known);
  return remove(http, known);
}

type Upload = (http: HttpClient, target: string, content: Buffer) => Promise<Answer>;

async function replace(http: HttpClient, known: Known, content: Buffer, upload: Upload): Promise<boolean> {
  const answer = await answered(upload(http, `/objects/${known.name}`, content));
  if (answer === null) {
    known.perhaps = [content];
    return false;
  }
  expect(answer.status).toBe(201);
  known.content = content;
  return true;
}

const simply: Upload = (http, target, body) => http('PUT', target, { as: 'alice', body });

const byChunks: Upload = async (http, target, content) => {
  const body = JSON.stringify({ 'chunk-length': CHUNK, 'content-length': content.byteLength });
  const job = await http('POST', `${target};upload`, { as: 'alice', body, headers: JSON_TYPE });
  expect(job.status).toBe(201);
  const url = job.headers.location ?? '';
  for (let number = 0; number * CHUNK < content.byteLength; number += 1)
    await http('PUT', `${url}/${number}`, {
      as: 'alice',
      body: content.subarray(number * CHUNK, (number + 1) * CHUNK),
    });
  return http('POST', url, { as: 'alice' });
};

/** Either name reads the same, so the client goes on with the new one only when it knows that it is there. */
async function rename(http: HttpClient, known: Known): Promise<boolean> {
  const target = nextName(known.name);
  // the newest version alone: older ones may have been renamed before
  const current = await answered(http('HEAD', `/objects/${known.name}`, { as: 'alice' }));
  const version = /:([A-Z2-7]+)$/.exec(String(current?.headers['content-location'] ?? ''))?.[1];
  if (version === undefined) return false;
  const body = JSON.stringify({ command: 'rename_from', source_name: known.name, source_versions: [version] });
  const answer = await answered(http('POST', `/objects/${target}`, { as: 'alice', body, headers: JSON_TYPE }));
  if (answer === null) return false;
  // 204: done by an earlier one whose answer got lost
  expect([201, 204]).toContain(answer.status);
  known.name = target;
  return true;
}

async function remove(http: HttpClient, known: Known): Promise<boolean> {
  const answer = await answered(http('DELETE', `/objects/${known.name}`, { as: 'alice' }));
  if (answer === null) {
    known.perhaps = [null];
    return false;
  }
  expect(answer.status).toBe(204);
  known.content = null;
  known.name = nextName(known.name);
  return true;
}

function nextName(name: string): string {
  const [client = '', number = '0'] = name.split('-');
  return `${client}-${Number(number) + 1}`;
}

async function answered(request: Promise<Answer>): Promise<Answer | null> {
  return request.catch(() => null);
}
