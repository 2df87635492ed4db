import { parse } from 'yaml';

/** Keys that a Secret has when its values name none. */
const initialKeys: Readonly<Record<string, readonly string[]>> = {
  keys: ['service-key', 'service-jwks', 'credential-key'],
  s3Credentials: ['access-key-id', 'secret-access-key'],
  s3CaSecret: ['ca.crt'],
  devTokens: ['tokens'],
};

/** The Secrets that a values file says are there, with the keys it says they have. */
export function namedSecrets(values: string): Readonly<Record<string, readonly string[]>> {
  const secrets: Record<string, string[]> = {};
  collect(parse(values), '', secrets);
  return secrets;
}

function collect(value: unknown, name: string, secrets: Record<string, string[]>): void {
  if (typeof value !== 'object' || value === null) return;
  const entries: Readonly<Record<string, unknown>> = { ...value };
  const { existingSecret } = entries;
  if (typeof existingSecret === 'string') {
    const keys = Object.entries(entries)
      .filter(([word]) => word === 'key' || word.endsWith('Key'))
      .map(([, key]) => String(key));
    const initial = 'key' in entries ? [] : (initialKeys[name] ?? ['uri']);
    secrets[existingSecret] = [...(secrets[existingSecret] ?? []), ...keys, ...initial];
  }
  for (const [word, child] of Object.entries(entries)) collect(child, word, secrets);
}
