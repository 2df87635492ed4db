import { AclError } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import type { z } from 'zod';

/**
 * Reads a JSON value of a request with a schema.
 * @throws {AppError} `bad_json` that says where the value is not as it must be
 */
export function parseDocument<Schema extends z.ZodType>(schema: Schema, json: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? what : `${what}, ${issue.path.map(String).join('.')}`;
  throw new AppError('bad_json', `${place}: ${issue?.message ?? 'not acceptable'}.`, { cause: parsed.error });
}

/** What refusing an access list means for the request (spec/catalog-model.md 19.4). */
export function fromAclError(error: unknown): unknown {
  if (!(error instanceof AclError)) return error;
  const place = error.pointer === '' ? '' : ` (at ${error.pointer})`;
  const code = error.code === 'unsupported_name' ? 'conflict' : 'bad_acl';
  return new AppError(code, `${sentence(error.message)}${place}.`, { cause: error });
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
