import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADAPTERS, openTestBucket, type TestBucket } from './s3-bucket.js';
import { openTestStore, type TestStore } from './test-store.js';
import { type Example, type Expectation, examples, type ProfileName, type Step } from './worked-examples.js';

const everyWay = ADAPTERS.flatMap((adapter) =>
  (['standard', 'deriva'] as const).map((profile) => ({ adapter, profile })),
);

describe.each(everyWay)('the worked examples in the $profile profile on $adapter', ({ adapter, profile }) => {
  let bucket: TestBucket | undefined;
  let store: TestStore;
  beforeAll(async () => {
    bucket = adapter === 's3' ? await openTestBucket() : undefined;
    store = await openTestStore({ profile, s3: bucket });
  });
  afterAll(async () => {
    await store.close();
    await bucket?.close();
  });

  it.each(examples)('$numbers $title', async ({ steps, title }: Example) => {
    const base = await freshNamespace(store, title);
    const variables = new Map<string, string>();
    for (const step of steps) await play(store, base, step, profile, variables);
  });
});

let count = 0;

/** Each example plays below a namespace of its own that stands for `/os`, made and owned as the root is. */
async function freshNamespace(store: TestStore, title: string): Promise<string> {
  count += 1;
  const base = `/os/e${count}`;
  const headers = { 'Content-Type': 'application/x-objstore-namespace' };
  const made = await store.http('PUT', base, { as: 'alice', headers });
  expect({ title, status: made.status }).toEqual({ title, status: 201 });
  return base;
}

async function play(
  store: TestStore,
  base: string,
  step: Step,
  profile: ProfileName,
  variables: Map<string, string>,
): Promise<void> {
  const fill = (text: string): string =>
    text
      .replace(/\/os(?![a-z0-9])/g, step.atRoot === true ? '/os' : base)
      .replace(/\{(\w+)\}/g, (_, name: string) => variables.get(name) ?? `{${name}}`);
  const headers = Object.fromEntries(Object.entries(step.headers ?? {}).map(([name, text]) => [name, fill(text)]));
  const answer = await store.http(step.method, fill(step.target), {
    as: step.as,
    headers,
    body: step.body === undefined ? undefined : fill(step.body),
  });
  const expected: Expectation = { ...step.expect, ...step[profile] };
  const seen = `${step.as ?? 'anon'} ${step.method} ${fill(step.target)} -> ${answer.status} ${answer.text}`;
  expect({ seen, status: answer.status }).toEqual({ seen, status: expected.status });
  if (expected.version !== undefined) {
    const version = /:([A-Z2-7]{26})$/.exec(answer.headers.location ?? '')?.[1];
    expect({ seen, version }).toEqual({ seen, version: expect.any(String) });
    variables.set(expected.version, version ?? '');
  }
  if (expected.job !== undefined) {
    expect(answer.text).toBe(`${answer.headers.location}\n`);
    variables.set(expected.job, (answer.headers.location ?? '').split(';upload/')[1] ?? '');
  }
  if (expected.tag !== undefined) variables.set(expected.tag, answer.headers.etag ?? 'no tag');
  if (expected.code !== undefined && profile === 'standard' && step.method !== 'HEAD')
    expect({ seen, code: answer.code }).toEqual({
      seen,
      code: expected.code,
    });
  if (expected.body !== undefined) expect(answer.text).toBe(fill(expected.body));
  if (expected.match !== undefined) expect(answer.text).toMatch(expected.match);
  for (const [name, text] of Object.entries(expected.headers ?? {})) {
    const found = answer.headers[name.toLowerCase()];
    const wanted = text === null ? undefined : text === '*' ? expect.any(String) : fill(text);
    expect({ seen, name, value: found }).toEqual({ seen, name, value: wanted });
  }
}
