import type { Submittable, Connection as WireConnection } from 'pg';

/** Kinds of messages from the server that matter here (PostgreSQL documentation, "Message Formats"). */
const COPY_DATA = 0x64;
const COPY_DONE = 0x63;
const DATA_ROW = 0x44;
const ERROR_RESPONSE = 0x45;

const HEADER_BYTES = 5;
const NOTHING = Buffer.alloc(0);

/** Bytes that may wait to be taken before the socket is no longer read. */
const MOST_HELD_BYTES = 128 * 1024;

/** A row as the server writes it: a text each, or NULL. */
export type TextRow = readonly (string | null)[];

/**
 * One message to the server with several statements, of which one is a COPY TO STDOUT: so a transaction of its own, or the first half of
 * one, costs one round trip. Gives the rows of the statements before the COPY, then the bytes of the COPY, and no faster than they are
 * taken. pg-copy-streams, whose way of taking over the socket this follows, knows one statement a message; and a stream costs a small
 * answer more than all the rest of this.
 */
export class CopyExchange implements Submittable, AsyncIterableIterator<Buffer> {
  /** The rows of the statements before the COPY; rejects with what the server refused, if that was earlier. */
  readonly told: Promise<readonly TextRow[]>;
  /** Resolves when the connection is free again, whether the exchange went well or not. */
  readonly finished: Promise<void>;
  /** Rows that the server says it has sent; known at the end. */
  rowCount = 0;
  readonly #text: string;
  readonly #announced: number;
  readonly #told = deferred<readonly TextRow[]>();
  readonly #finished = deferred<void>();
  readonly #rows: TextRow[] = [];
  #connection: WireConnection | null = null;
  #parser: ((chunk: Buffer) => void) | null = null;
  #unread: Buffer = NOTHING;
  /** Bytes of the payload at hand that have not come yet. */
  #payloadLeft = 0;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #taker: Deferred<IteratorResult<Buffer>> | null = null;
  #end: { readonly error: Error | null } | null = null;
  #discarded = false;

  /**
   * @param text the statements
   * @param announced number of rows that those before the COPY give together
   */
  constructor(text: string, announced = 0) {
    this.#text = text;
    this.#announced = announced;
    this.told = this.#told.promise;
    this.finished = this.#finished.promise;
    // the failure is told to whoever takes bytes, too
    this.told.catch(() => undefined);
    if (announced === 0) this.#told.resolve([]);
  }

  /** Called by the driver when the connection is free for this exchange. */
  submit(connection: WireConnection): void {
    this.#connection = connection;
    const { stream } = connection;
    const [parser] = stream.listeners('data');
    // the driver's own listener; it gets the stream back at the end
    this.#parser = parser as (chunk: Buffer) => void;
    stream.removeListener('data', this.#parser);
    stream.on('data', this.#take);
    connection.query(this.#text);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next bytes of the COPY. */
  async next(): Promise<IteratorResult<Buffer>> {
    const chunk = this.#held.shift();
    if (chunk !== undefined) {
      this.#heldBytes -= chunk.length;
      return { done: false, value: chunk };
    }
    if (this.#end?.error) throw this.#end.error;
    if (this.#end !== null || this.#discarded) return { done: true, value: undefined };
    this.#taker = deferred();
    if (this.#parser !== null) this.#connection?.stream.resume();
    return this.#taker.promise;
  }

  /**
   * Nobody takes what still comes: it is read and dropped, since the connection must get to its end, or nothing sent over it is ever
   * answered; and a server that waits for room to send does not hear that it was cancelled.
   */
  async return(): Promise<IteratorResult<Buffer>> {
    this.#discarded = true;
    this.#held = [];
    this.#heldBytes = 0;
    if (this.#parser !== null) this.#connection?.stream.resume();
    return { done: true, value: undefined };
  }

  /** Messages of a chunk: payloads are moved together over their headers, in the chunk itself, and given as one. */
  readonly #take = (came: Buffer): void => {
    const chunk = this.#unread.length === 0 ? came : Buffer.concat([this.#unread, came]);
    this.#unread = NOTHING;
    let from = Math.min(this.#payloadLeft, chunk.length);
    this.#payloadLeft -= from;
    let filled = from;
    while (from + HEADER_BYTES <= chunk.length) {
      const kind = chunk[from];
      const body = from + HEADER_BYTES;
      const end = from + 1 + chunk.readUInt32BE(from + 1);
      if (kind === COPY_DATA) {
        const available = Math.min(end, chunk.length);
        chunk.copyWithin(filled, body, available);
        filled += available - body;
        this.#payloadLeft = end - available;
        from = available;
        continue;
      }
      if (kind === ERROR_RESPONSE || kind === COPY_DONE) {
        const rest = Buffer.from(chunk.subarray(from));
        this.#deliver(chunk, filled);
        this.#giveBack(rest);
        return;
      }
      if (end > chunk.length) break;
      if (kind === DATA_ROW) this.#tell(textRow(chunk, body));
      from = end;
    }
    if (from < chunk.length) this.#unread = Buffer.from(chunk.subarray(from));
    this.#deliver(chunk, filled);
    if (this.#heldBytes > MOST_HELD_BYTES) this.#connection?.stream.pause();
  };

  #tell(row: TextRow): void {
    this.#rows.push(row);
    if (this.#rows.length === this.#announced) this.#told.resolve(this.#rows);
  }

  #deliver(chunk: Buffer, filled: number): void {
    if (filled === 0 || this.#discarded) return;
    const value = chunk.subarray(0, filled);
    if (this.#taker !== null) {
      this.#taker.resolve({ done: false, value });
      this.#taker = null;
      return;
    }
    this.#held.push(value);
    this.#heldBytes += filled;
  }

  #conclude(error: Error | null): void {
    this.#end ??= { error };
    if (error === null) this.#taker?.resolve({ done: true, value: undefined });
    else this.#taker?.reject(error);
    this.#taker = null;
  }

  /** The driver goes on with the rest: the end of the transaction, or the error. */
  #giveBack(rest: Buffer): void {
    const parser = this.#parser;
    if (parser === null || this.#connection === null) return;
    const { stream } = this.#connection;
    this.#parser = null;
    stream.removeListener('data', this.#take);
    stream.on('data', parser);
    parser(rest);
  }

  handleError(error: Error): void {
    this.#told.reject(error);
    this.#conclude(error);
    this.#finished.resolve();
  }

  handleCommandComplete(message: { readonly text?: string }): void {
    const count = /^COPY (\d+)/.exec(message.text ?? '')?.[1];
    if (count !== undefined) this.rowCount = Number(count);
  }

  handleReadyForQuery(): void {
    // not before: constraints are looked at when all rows are out, and statements may follow
    this.#conclude(null);
    this.#finished.resolve();
  }

  // answers to statements behind the COPY, which have nothing to tell
  handleRowDescription(): void {}
  handleDataRow(): void {}
}

/** Two bytes count; of each value four bytes length, -1 for NULL, and the text. */
function textRow(chunk: Buffer, body: number): TextRow {
  const row: (string | null)[] = [];
  let at = body + 2;
  for (let left = chunk.readUInt16BE(body); left > 0; left -= 1) {
    const length = chunk.readInt32BE(at);
    at += 4;
    row.push(length < 0 ? null : chunk.toString('utf8', at, at + length));
    at += Math.max(length, 0);
  }
  return row;
}

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: Error): void;
}

function deferred<Value>(): Deferred<Value> {
  let settle: Pick<Deferred<Value>, 'resolve' | 'reject'> = { resolve: () => undefined, reject: () => undefined };
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
