/** Keys whose values never reach a log (spec/identity.md 6.3). */
const SECRET_KEYS = [
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'oauth2_token',
  'secret',
  'credential',
];

/** Query parameters of presigned URLs. */
const SECRET_PARAMETERS = /([?&;](?:X-Amz-[A-Za-z-]+|AWSAccessKeyId|Signature|token|access_token)=)[^&;\s"]*/gi;
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi;
const JWT = /\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g;
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^:/?#\s"]*:)[^@/?#\s"]+@/gi;

/** Paths for pino's `redact` option: the secret keys at the top and one level down. */
export const redactedPaths: readonly string[] = SECRET_KEYS.flatMap((key) => [
  `["${key}"]`,
  `*["${key}"]`,
  `*.*["${key}"]`,
]);

/**
 * Takes credentials out of a text that is to be logged: bearer tokens, JWTs, presigned parameters, passwords in URLs.
 */
export function redactText(text: string): string {
  return text
    .replace(SECRET_PARAMETERS, '$1[redacted]')
    .replace(BEARER, '$1 [redacted]')
    .replace(JWT, '[redacted]')
    .replace(URL_PASSWORD, '$1[redacted]@');
}
