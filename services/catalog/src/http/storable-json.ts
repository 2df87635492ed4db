import { AppError, readJson } from '@holdfast/http-kit';
import type { Request } from 'express';

/** Nesting beyond which nobody writes a document and recursive readers run out of stack. */
const MOST_LEVELS = 200;

/**
 * Reads a JSON body that PostgreSQL can store.
 * @param limit bytes
 * @returns the value; undefined for an empty body
 * @throws {AppError} `bad_json` for U+0000 or half a surrogate pair in a string, or for a document that is nested too deep
 */
export async function readStorableJson(request: Request, limit: number): Promise<unknown> {
  const json = await readJson(request, limit);
  requireStorable(json);
  return json;
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
