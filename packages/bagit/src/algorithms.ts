import { createHash, type Hash } from 'node:crypto';

/** Algorithms a bag is written with, in the order in which manifests are written. */
export const ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** Checksums of one file: lower-case hex by algorithm. */
export type Hashes = Readonly<Partial<Record<Algorithm, string>>>;

/** Algorithms that can be checked: the name in a manifest's file name -> name for node's crypto, digits of a checksum. */
const READABLE: ReadonlyMap<string, { readonly node: string; readonly hexDigits: number }> = new Map([
  ['md5', { node: 'md5', hexDigits: 32 }],
  ['sha1', { node: 'sha1', hexDigits: 40 }],
  ['sha224', { node: 'sha224', hexDigits: 56 }],
  ['sha256', { node: 'sha256', hexDigits: 64 }],
  ['sha384', { node: 'sha384', hexDigits: 96 }],
  ['sha512', { node: 'sha512', hexDigits: 128 }],
  ['sha3256', { node: 'sha3-256', hexDigits: 64 }],
  ['sha3512', { node: 'sha3-512', hexDigits: 128 }],
]);

/** RFC 8493 2.4: names are compared in lower case and without anything but letters and digits. */
export function normalizeAlgorithm(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Hexadecimal digits of a checksum by that (normalised) algorithm; undefined for one that we cannot compute. */
export function hexDigits(algorithm: string): number | undefined {
  return READABLE.get(algorithm)?.hexDigits;
}

/** Counts bytes and feeds several hashes at once, so that content is read a single time. */
export class Digester<A extends string = string> {
  #bytes = 0;
  readonly #hashes: ReadonlyArray<readonly [A, Hash]>;

  /** @throws RangeError for an algorithm that {@link hexDigits} does not know. */
  constructor(algorithms: Iterable<A>) {
    this.#hashes = [...new Set(algorithms)].map((name) => {
      const known = READABLE.get(name);
      if (known === undefined) throw new RangeError(`unknown checksum algorithm ${name}`);
      return [name, createHash(known.node)] as const;
    });
  }

  get bytes(): number {
    return this.#bytes;
  }

  update(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    for (const [, hash] of this.#hashes) hash.update(chunk);
  }

  /** Lower-case hex by algorithm; can be asked once. */
  digest(): Map<A, string> {
    return new Map(this.#hashes.map(([name, hash]) => [name, hash.digest('hex')]));
  }
}
