import { AppError, readJson } from '@holdfast/http-kit';
import type { Request } from 'express';
import { keepExactDefaults } from '../model/exact-defaults.js';
import { mayBeInexact, parseExact } from '../model/exact-numbers.js';
import type { Json } from '../model/model.js';

/** Nesting beyond which nobody writes a document and recursive readers run out of stack. */
const MOST_LEVELS = 200;

/**
 * Reads a JSON body that PostgreSQL can store. Defaults of columns keep their digits ({@link exactDefault}).
 * @param limit bytes
 * @returns the value; undefined for an empty body
 * @throws {AppError} `bad_json` for U+0000 or half a surrogate pair in a string, or for a document that is nested too deep
 */
export async function readStorableJson(request: Request, limit: number): Promise<unknown> {
  const read = await readJson(request, limit, (text): { readonly json: Json; readonly text: string } => ({
    json: JSON.parse(text),
    text,
  }));
  if (read === undefined) return undefined;
  requireStorable(read.json);
  if (mayBeInexact(read.text)) keepExactDefaults(read.json, parseExact(read.text));
  return read.json;
}

/** Walks without recursion: the depth is just what is being checked. */
function requireStorable(json: unknown): void {
  let level: readonly unknown[] = [json];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_LEVELS) throw new AppError('bad_json', `The body is nested deeper than ${MOST_LEVELS} levels.`);
    const below: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') requireStorableText(value);
      else if (Array.isArray(value)) for (const item of value) below.push(item);
      else if (typeof value === 'object' && value !== null) {
        for (const [name, member] of Object.entries(value)) {
          requireStorableText(name);
          below.push(member);
        }
      }
    }
    level = below;
  }
}

function requireStorableText(text: string): void {
  if (text.includes('\u0000') || /\p{Surrogate}/u.test(text))
    throw new AppError('bad_json', 'The body holds U+0000 or half a surrogate pair, which cannot be stored.');
}
