import { type WireProfileName, wireProfile } from '@holdfast/http-kit';
import type { Exchange } from '../support/zoo.js';
import { jsonOf, textMember } from './raw-client.js';

/**
 * What every answer of a data resource keeps, whatever was asked (spec/catalog-data.md 4.1, 8, 9).
 * @returns one sentence for each rule that this answer breaks
 */
export function brokenRules(profile: WireProfileName, { method, target, answer }: Exchange): readonly string[] {
  const { status, headers, text } = answer;
  const broken: string[] = [];
  const demand = (holds: boolean, rule: string) => {
    if (!holds) broken.push(`${rule}: ${method} ${target} answered ${status} ${text.slice(0, 200)}`);
  };
  const tagged = status < 300 || status === 304 || status === 412;
  demand(status < 500, 'no request gives a 5xx');
  if (method === 'OPTIONS' || !isData(target)) return broken;
  if (tagged) {
    demand(/^"[^"]*"$/.test(headers.etag ?? ''), '8.1: a success, a 304 and a 412 have a strong ETag');
    demand(namesAll(headers.vary, ['accept', 'cookie', 'authorization']), '8.7: Vary names Accept and the credentials');
  } else {
    demand(headers.etag === undefined, '11.8, 289: an error has no ETag');
  }
  if (status === 200) {
    demand(mediaTypes.has(headers['content-type'] ?? ''), '4.1: the Content-Type is bare');
    if (method === 'GET') demand(namesAll(headers['cache-control'], ['private', 'no-cache']), '8.7: Cache-Control');
  }
  if (status === 204 || status === 304) demand(text === '', '8.5: no body');
  if (status === 405) demand(headers.allow !== undefined, '1.5: a 405 has Allow');
  if (status >= 400 && method !== 'HEAD') demand(saysWhatItIs(profile, answer), '9.1: the form of an error');
  return broken;
}

const mediaTypes = new Set(['application/json', 'application/x-json-stream', 'text/csv']);

function isData(target: string): boolean {
  return /\/catalog\/[^/]*\/(entity|attribute|attributegroup|aggregate|entity_rid)(\/|$)/.test(target);
}

function namesAll(header: string | undefined, words: readonly string[]): boolean {
  const named = (header ?? '').toLowerCase().split(/, */);
  return words.every((word) => named.includes(word));
}

/** 9.1, 9.2: JSON with the sentence of the class as its title; in the deriva profile text that starts with it. */
function saysWhatItIs(profile: WireProfileName, { status, headers, text }: Exchange['answer']): boolean {
  const { errorForm, errorTextType, errorTitles } = wireProfile(profile);
  const title = errorTitles[status];
  if (title === undefined) return false;
  if (errorForm === 'text') {
    const rightText = text === `${title}\n` || (text.startsWith(`${title} Detail: `) && text.endsWith('\n'));
    return headers['content-type'] === errorTextType && rightText;
  }
  return (
    (headers['content-type'] ?? '').includes('json') && textMember(jsonOf({ status, headers, text }), 'title') === title
  );
}
