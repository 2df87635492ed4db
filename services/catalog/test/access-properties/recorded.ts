import { expectedAnswer } from './answer.js';
import { type ClientRoles, decisionsFor } from './decide.js';
import type { State } from './match.js';
import { type Policy, userColumns } from './policy.js';
import type { AccessRequest } from './requests.js';
import type { Rules } from './rules.js';

/** A request that was sent, the state it met, and what came of it. */
export interface RecordedCase {
  readonly policy: Policy;
  readonly client: ClientRoles;
  readonly request: AccessRequest;
  readonly before: State;
  readonly status: number;
  /** Rows of the answer, or its document as the only one. */
  readonly answer: unknown;
  /** What the tables held afterwards; null for requests that read. */
  readonly after: State | null;
}

/** What the evaluator that follows these rules would have answered otherwise; null for nothing. */
export function difference(recorded: RecordedCase, rules: Rules): string | null {
  const { policy, client, request, before, status, answer, after } = recorded;
  const expected = expectedAnswer(request, policy, before, decisionsFor(policy, client, rules), rules);
  if (expected.status !== status) return `status ${status} instead of ${expected.status}`;
  if (after !== null) {
    const [found, due] = [after, expected.state].map((state) => JSON.stringify(state.map(canonicalRows)));
    if (found !== due) return `left ${found}\ninstead of ${due}`;
  }
  if (expected.rows === null) return null;
  const rows = Array.isArray(answer) ? answer : [answer];
  const members = Object.keys(expected.rows[0] ?? {});
  const told = request.kind === 'post' || request.kind === 'put' || request.kind === 'rid';
  const due = canonical(expected.rows);
  const found = canonical(told ? rows.map((row: object) => pickMembers(row, members)) : rows);
  return found === due ? null : `answered ${found}\ninstead of ${due}`;
}

function canonicalRows(rows: State[number]): string {
  return canonical(rows.map((row) => pickMembers(row, userColumns)));
}

function pickMembers(row: object, names: readonly string[]): object {
  const entries = new Map(Object.entries(row));
  return Object.fromEntries(names.map((name) => [name, entries.get(name) ?? null]));
}

/** Rows as text, the same for the same rows in any order. */
function canonical(rows: readonly object[]): string {
  return `[${rows
    .map((row) => JSON.stringify(sorted(row)))
    .sort()
    .join(',\n')}]`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
