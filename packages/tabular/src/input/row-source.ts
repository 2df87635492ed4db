import { Readable } from 'node:stream';
import { type InputPosition, TabularError } from '../tabular-error.js';
import { Utf8Guard } from './utf8-guard.js';

/** Bytes as they come: a request, a response body, a file, an iterator of chunks. */
export type ByteSource = Readable | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Reads one kind of input synchronously, chunk by chunk, and says what goes on. */
export interface InputScanner<Output> {
  /** Position for a fault found outside of the scanner. */
  readonly position: InputPosition;
  push(chunk: Buffer): Output;
  end(): Output;
}

/**
 * Feeds a source to a scanner: skips a byte-order mark, refuses what is not UTF-8, and gives what each chunk yields.
 *
 * The source is not destroyed when reading stops early. Destroying a request takes its connection along, and with it the
 * answer that tells what was wrong; whoever opened the source decides.
 */
export async function* scanned<Output>(source: ByteSource, scanner: InputScanner<Output>): AsyncGenerator<Output> {
  const guard = new Utf8Guard();
  for await (const chunk of withoutByteOrderMark(source)) {
    const good = guard.goodPrefix(chunk);
    if (good < chunk.length) {
      yield scanner.push(chunk.subarray(0, good));
      throw notUtf8(scanner);
    }
    yield scanner.push(chunk);
  }
  if (!guard.endsWell()) throw notUtf8(scanner);
  yield scanner.end();
}

/** The same of bytes that are all there. */
export function scannedWhole<Output>(bytes: Buffer, scanner: InputScanner<Output>): readonly Output[] {
  const guard = new Utf8Guard();
  const marked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const text = marked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  const good = guard.goodPrefix(text);
  const first = scanner.push(text.subarray(0, good));
  if (good < text.length || !guard.endsWell()) throw notUtf8(scanner);
  return [first, scanner.end()];
}

async function* withoutByteOrderMark(source: ByteSource): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  const chunks = source instanceof Readable ? source.iterator({ destroyOnReturn: false }) : source;
  for await (const chunk of chunks) {
    const bytes = asBuffer(chunk);
    if (head === null) {
      yield bytes;
      continue;
    }
    head = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
    const known = Math.min(head.length, BYTE_ORDER_MARK.length);
    const startsLikeMark = head.subarray(0, known).equals(BYTE_ORDER_MARK.subarray(0, known));
    if (startsLikeMark && known < BYTE_ORDER_MARK.length) continue;
    yield startsLikeMark ? head.subarray(BYTE_ORDER_MARK.length) : head;
    head = null;
  }
  if (head !== null) yield head;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** The fault, at the row that has it; unless a row before it, which the scanner may have held back, has another. */
function notUtf8(scanner: InputScanner<unknown>): TabularError {
  scanner.push(Buffer.alloc(0));
  return new TabularError('bad_utf8', scanner.position, 'the input is not UTF-8');
}
