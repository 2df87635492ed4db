import { isUtf8 } from 'node:buffer';

/**
 * Checks that a stream of bytes is UTF-8, chunk by chunk at native speed. A character cut by a chunk's end is finished by the
 * next chunk.
 */
export class Utf8Guard {
  /** The bytes of a character that is not complete yet, at most three. */
  #cut: Buffer = Buffer.alloc(0);

  /** How many bytes at the start of the chunk are not known to be wrong: all of them, if it is good. */
  goodPrefix(chunk: Buffer): number {
    const bytes = this.#cut.length === 0 ? chunk : Buffer.concat([this.#cut, chunk]);
    const tail = incompleteTail(bytes);
    const whole = bytes.length - tail;
    if (!isUtf8(whole === bytes.length ? bytes : bytes.subarray(0, whole))) {
      return Math.max(0, firstFault(bytes) - this.#cut.length);
    }
    this.#cut = tail === 0 ? NOTHING : Buffer.from(bytes.subarray(whole));
    return chunk.length;
  }

  /** Whether the input ended between two characters. */
  endsWell(): boolean {
    return this.#cut.length === 0;
  }
}

const NOTHING = Buffer.alloc(0);

/** Length of a character at the end whose last bytes are still to come. */
function incompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}

/** Length of the longest beginning that could still be UTF-8, found by halving. There is a fault somewhere. */
function firstFault(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const part = bytes.subarray(0, middle);
    if (isUtf8(part.subarray(0, middle - incompleteTail(part)))) good = middle;
    else bad = middle;
  }
  return good;
}
