import { Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** What Node's writables and those of tar-stream have in common. */
export interface Output {
  readonly destroyed: boolean;
  readonly errored?: Error | null;
  write(chunk: Uint8Array): boolean;
  on(event: 'drain' | 'close' | 'error', listener: (error?: Error) => void): unknown;
  off(event: 'drain' | 'close' | 'error', listener: (error?: Error) => void): unknown;
}

/** Writes a chunk and waits until the stream wants more: the only way anything here writes, so memory stays flat. */
export async function writeChunk(stream: Output, chunk: Uint8Array): Promise<void> {
  if (stream.destroyed) throw stream.errored ?? new Error('the output was closed too early');
  if (stream.write(chunk)) return;
  await new Promise<void>((resolve, reject) => {
    const settle = (act: () => void) => {
      stream.off('drain', onDrain);
      stream.off('error', onError);
      stream.off('close', onClose);
      act();
    };
    const onDrain = () => settle(resolve);
    const onError = (error?: Error) => settle(() => reject(error ?? new Error('the output failed')));
    const onClose = () => settle(() => reject(stream.errored ?? new Error('the output was closed too early')));
    stream.on('drain', onDrain);
    stream.on('error', onError);
    stream.on('close', onClose);
  });
}

/** Ends a stream and waits until everything has left it. */
export async function endStream(stream: Writable): Promise<void> {
  const done = finished(stream, { readable: false });
  stream.end();
  await done;
}

/** A readable for any source of bytes; a readable is itself. */
export function toReadable(source: AsyncIterable<Uint8Array>): Readable {
  return source instanceof Readable ? source : Readable.from(source, { objectMode: false });
}
