// The keys of the services, for docker/compose.yaml or for a Secret: node make-keys.mjs <directory>. What is there already is left alone.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SERVICE_USER = 65532;
const directory = process.argv[2] ?? '/keys';

mkdirSync(directory, { recursive: true });
if (!existsSync(join(directory, 'service-key.json'))) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'EdDSA', use: 'sig' };
  const { d: _, ...shown } = key;
  write('credential-key', `${randomUUID()}:${randomBytes(32).toString('base64')}`);
  write('service-jwks.json', JSON.stringify({ keys: [shown] }));
  write('dev-tokens.json', JSON.stringify(devTokens()));
  // last: it says that all of them are there
  write('service-key.json', JSON.stringify(key));
}

function write(name, text) {
  const path = join(directory, name);
  writeFileSync(path, text, { mode: 0o400 });
  // in a container it runs as root for the service to read them
  if (process.getuid?.() === 0) chownSync(path, SERVICE_USER, SERVICE_USER);
}

/** The tokens of the development stack, known to everybody. */
function devTokens() {
  const groups = { alice: ['g1'], bob: ['g1', 'g2'], carol: [], admin: ['admin'] };
  return Object.entries(groups).map(([id, attributes]) => ({
    token: `${id}-token`,
    client: { id, display_name: id },
    attributes: attributes.map((group) => ({ id: group })),
  }));
}
