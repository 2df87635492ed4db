import type { Body, SendOptions, Zoo } from '../support/zoo.js';
import type { Expectation } from './expectations.js';

/** A target relative to the catalog, or one that needs something of the loaded data, such as a RID. */
export type Target = string | ((zoo: Zoo) => string);

export interface Step {
  readonly method: string;
  readonly target: Target;
  readonly options: SendOptions;
  readonly expected: Expectation;
}

/** One row of the worked examples: its number, and requests sent one after the other, or a story told in code. */
export type Example =
  | { readonly kind: 'steps'; readonly number: number; readonly part: string; readonly steps: readonly Step[] }
  | {
      readonly kind: 'story';
      readonly number: number;
      readonly part: string;
      readonly tell: (zoo: Zoo) => Promise<void>;
    };

/** A section of the worked examples. */
export interface Section {
  readonly title: string;
  readonly examples: readonly Example[];
}

export function example(number: number, ...steps: readonly (Step | readonly Step[])[]): Example {
  return { kind: 'steps', number, part: '', steps: steps.flat() };
}

/** A part of an example that starts from the initial data again, or waits for a later issue on its own. */
export function partOf(number: number, part: string, ...steps: readonly (Step | readonly Step[])[]): Example {
  return { kind: 'steps', number, part, steps: steps.flat() };
}

export function story(number: number, part: string, tell: (zoo: Zoo) => Promise<void>): Example {
  return { kind: 'story', number, part, tell };
}

export function get(target: Target, expected: Expectation, options: SendOptions = {}): Step {
  return { method: 'GET', target, options, expected };
}

export function post(target: Target, body: Body, expected: Expectation, options: SendOptions = {}): Step {
  return { method: 'POST', target, options: { ...options, body }, expected };
}

export function put(target: Target, body: Body, expected: Expectation, options: SendOptions = {}): Step {
  return { method: 'PUT', target, options: { ...options, body }, expected };
}

export function del(target: Target, expected: Expectation, options: SendOptions = {}): Step {
  return { method: 'DELETE', target, options, expected };
}

/** The same expectation for several GETs whose targets begin alike. */
export function getEach(expected: Expectation, prefix: string, ...rests: readonly string[]): readonly Step[] {
  return rests.map((rest) => get(`${prefix}${rest}`, expected));
}

/** The same answer to one kind of request with several bodies. */
export function postEach(target: Target, expected: Expectation, ...bodies: readonly Body[]): readonly Step[] {
  return bodies.map((body) => post(target, body, expected));
}
