import { type WireProfileName, wireProfile } from '@holdfast/http-kit';
import { expect } from '@jest/globals';
import { type Answer, messageOf, type Row, rowsOf } from './raw-client.js';

/** The status of an answer and what its body and headers have to be. */
export interface Expectation {
  readonly status: number;
  readonly check?: (answer: Answer, asked: Asked) => void;
}

/** What a check may need to know of the request. */
export interface Asked {
  readonly target: string;
  readonly profile: WireProfileName;
}

/** The five system columns as members of a JSON row, values of any kind. */
export const anySystem: Row = {
  RID: expect.any(String),
  RCT: expect.any(String),
  RMT: expect.any(String),
  RCB: expect.anything(),
  RMB: expect.anything(),
};

export const systemNames = ['RID', 'RCT', 'RMT', 'RCB', 'RMB'] as const;

/** 200 and exactly these JSON rows, in this order. */
export function rows(...expected: readonly Row[]): Expectation {
  return { status: 200, check: (answer) => expect(rowsOf(answer)).toStrictEqual(expected) };
}

/** 200 and these JSON rows in any order. */
export function rowsInAnyOrder(...expected: readonly Row[]): Expectation {
  return {
    status: 200,
    check: (answer) => {
      const got = rowsOf(answer);
      expect(got).toHaveLength(expected.length);
      expect(got).toStrictEqual(expect.arrayContaining([...expected]));
    },
  };
}

/** Rows with nothing but an id; their order counts when the request sorts. */
export function ids(...expected: readonly number[]): Expectation {
  return {
    status: 200,
    check: (answer, { target }) => {
      const got = rowsOf(answer);
      const ordered = /@sort/i.test(target) ? got : [...got].sort((a, b) => Number(a.id) - Number(b.id));
      expect(ordered).toStrictEqual(expected.map((id) => ({ id })));
    },
  };
}

/** Rows with these ids in this order, whatever other members they have. */
export function idsInOrder(...expected: readonly number[]): Expectation {
  return { status: 200, check: (answer) => expect(rowsOf(answer).map((row) => row.id)).toStrictEqual(expected) };
}

/** Rows with nothing but one column, in this order. */
export function column(name: string, ...expected: readonly unknown[]): Expectation {
  return {
    status: 200,
    check: (answer) => expect(rowsOf(answer)).toStrictEqual(expected.map((value) => ({ [name]: value }))),
  };
}

/** A CSV answer of exactly these lines, each ended by LF. */
export function csv(...lines: readonly string[]): Expectation {
  return text('text/csv', lines);
}

/** One of several CSV answers, where the order of array elements is free. */
export function csvOneOf(...answers: readonly (readonly string[])[]): Expectation {
  return {
    status: 200,
    check: (answer) => {
      expect(answer.headers['content-type']).toBe('text/csv');
      const texts = answers.map(joined);
      // on a difference the first is shown as the expected text
      if (!texts.includes(answer.text)) expect(answer.text).toBe(texts[0]);
    },
  };
}

/** A JSON stream of exactly these lines, each ended by LF. */
export function jsonStream(...lines: readonly string[]): Expectation {
  return text('application/x-json-stream', lines);
}

function text(mediaType: string, lines: readonly string[]): Expectation {
  return {
    status: 200,
    check: (answer) => {
      expect(answer.headers['content-type']).toBe(mediaType);
      expect(answer.text).toBe(joined(lines));
    },
  };
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** A status of the 400s, and words the message has to contain. */
export function refused(status: number, ...fragments: readonly string[]): Expectation {
  return {
    status,
    check: (answer) => {
      for (const fragment of fragments) expect(messageOf(answer)).toContain(fragment);
    },
  };
}

/** 409 with the database's own words about a key or foreign key that the input violates (9.3). */
export function violated(...fragments: readonly string[]): Expectation {
  return {
    status: 409,
    check: (answer, { profile }) => {
      const message = messageOf(answer);
      for (const fragment of fragments) expect(message).toContain(fragment);
      const { errorForm, errorTitles, inputViolationPrefix } = wireProfile(profile);
      const start = errorForm === 'text' ? `${errorTitles[409]} Detail: ${inputViolationPrefix}` : inputViolationPrefix;
      expect(message.slice(0, start.length)).toBe(start);
    },
  };
}

/** A status alone. */
export function status(expected: number): Expectation {
  return { status: expected };
}

/** Success without a body. */
export const done: Expectation = { status: 204, check: (answer) => expect(answer.text).toBe('') };

/** 200 and whatever the function asks of the answer. */
export function ok(check: (answer: Answer) => void): Expectation {
  return { status: 200, check };
}

/** 200 and whatever the function asks of the JSON rows. */
export function rowsThat(check: (rows: readonly Row[]) => void): Expectation {
  return ok((answer) => check(rowsOf(answer)));
}

/** The only row of an answer. */
export function onlyRow(found: readonly Row[]): Row {
  expect(found).toHaveLength(1);
  return found[0] ?? {};
}

/** The same elements, whatever their order. */
export function expectSameElements(got: unknown, expected: readonly unknown[]): void {
  expect(got).toHaveLength(expected.length);
  expect(got).toStrictEqual(expect.arrayContaining([...expected]));
}

/** 200 in this media type, without parameters. */
export function inType(mediaType: string): Expectation {
  return ok((answer) => expect(answer.headers['content-type']).toBe(mediaType));
}
