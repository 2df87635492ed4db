import type { Request } from 'express';
import { invalidToken } from './refusals.js';

/** What a request presents, before anything of it is believed. */
export type RequestCredential =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'cookie'; readonly value: string }
  | { readonly kind: 'none' };

/**
 * The credential that decides: the header if there is one, else the session cookie (spec/identity.md 3).
 * @throws {AppError} `invalid_token` for another scheme, two headers, and two session cookies, of which one may have been planted
 */
export function credentialOf(request: Request, cookieName: string): RequestCredential {
  const { authorization: header } = request.headers;
  // of several Node keeps the first
  if (header !== undefined && isRepeated(request, 'authorization'))
    throw invalidToken('There is more than one Authorization header.');
  if (header !== undefined) return { kind: 'bearer', token: bearerToken(header) };
  const cookies = cookieValues(request.get('cookie') ?? '', cookieName);
  if (cookies.length > 1)
    throw invalidToken(`There is more than one cookie ${JSON.stringify(cookieName)}; delete them and log in again.`);
  const [value] = cookies;
  return value === undefined ? { kind: 'none' } : { kind: 'cookie', value };
}

function isRepeated({ rawHeaders }: Request, name: string): boolean {
  // names and values in turns
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length > 1;
}

function bearerToken(header: string): string {
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header);
  if (match?.[1] === undefined) throw invalidToken('The Authorization header must be: Bearer, a space, the token.');
  return match[1];
}

function cookieValues(header: string, name: string): readonly string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1).replace(/^"(.*)"$/, '$1'));
}
