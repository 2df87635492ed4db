import { Readable } from 'node:stream';
import { fromDatabase, inline, sql } from '@holdfast/pg-kit';
import type { Submittable, Connection as WireConnection } from 'pg';
import { type CatalogState, parseCatalogState, stateText } from '../model/catalog-state.js';

/** Kinds of messages from the server that matter here (PostgreSQL documentation, "Message Formats"). */
const COPY_DATA = 0x64;
const COPY_DONE = 0x63;
const DATA_ROW = 0x44;
const ERROR_RESPONSE = 0x45;

const HEADER_BYTES = 5;
const NOTHING = Buffer.alloc(0);

/** The statements of an exchange: one transaction, implicit as always for a message of several. */
export function stateAndRowsText(copy: string): string {
  return `set transaction isolation level repeatable read read only; ${STATE_TEXT}; ${copy}`;
}

const STATE_TEXT = inline(sql`select ${stateText}`);

/**
 * One message to the server, three answers: a transaction mode, a row that tells the state of the catalog, the rows of a COPY. So a read
 * costs one round trip although it is a transaction of its own: probe and rows are of one database snapshot
 * (spec/catalog-model.md 24). pg-copy-streams, whose way of taking over the socket this follows, knows one statement a message.
 *
 * The readable side has the bytes of the COPY; memory is bounded by its buffer, since the socket is read only on demand.
 */
export class StateAndRows extends Readable implements Submittable {
  readonly #state: Promise<string>;
  /** Resolves when the connection is free again, whether the exchange went well or not. */
  readonly finished: Promise<void>;
  /** Rows that the server says it has sent; known at the end. */
  rowCount = 0;
  readonly #text: string;
  #connection: WireConnection | null = null;
  #parser: ((chunk: Buffer) => void) | null = null;
  #unread: Buffer = NOTHING;
  /** Bytes of the payload at hand that have not come yet. */
  #payloadLeft = 0;
  #wanted = true;
  #stateIsKnown = false;
  #settleState: { resolve(text: string): void; reject(error: Error): void };
  #finish: () => void;

  /**
   * @param text statements of which exactly one returns a row, of one column, and a later one is a COPY TO STDOUT
   */
  constructor(text: string) {
    super({ highWaterMark: 64 * 1024 });
    this.#text = text;
    // the failure is told by the promises too, perhaps before anybody reads
    this.on('error', () => undefined);
    let settle: { resolve(text: string): void; reject(error: Error): void } | null = null;
    this.#state = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.#state.catch(() => undefined);
    let finish: (() => void) | null = null;
    this.finished = new Promise((resolve) => {
      finish = resolve;
    });
    this.#settleState = settle ?? { resolve: () => undefined, reject: () => undefined };
    this.#finish = finish ?? (() => undefined);
  }

  /**
   * The state of the catalog, which the server tells first.
   * @throws what the server refused the statements for
   */
  async catalogState(): Promise<CatalogState> {
    try {
      return parseCatalogState(await this.#state);
    } catch (error) {
      throw fromDatabase(error, 'literals');
    }
  }

  /** Called by the driver when the connection is free for this exchange. */
  submit(connection: WireConnection): void {
    this.#connection = connection;
    const { stream } = connection;
    const [parser] = stream.listeners('data');
    // the driver's own listener; it gets the stream back at the end
    this.#parser = parser as (chunk: Buffer) => void;
    stream.removeListener('data', this.#parser);
    stream.pause();
    stream.on('readable', this.#pump);
    connection.query(this.#text);
  }

  override _read(): void {
    this.#wanted = true;
    this.#pump();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // what still comes is read and dropped, so that the connection gets to its end
    this.#wanted = true;
    this.#pump();
    done(error);
  }

  readonly #pump = (): void => {
    const stream = this.#connection?.stream;
    if (stream === undefined) return;
    while (this.#parser !== null && (this.#wanted || !this.#stateIsKnown || this.destroyed)) {
      const chunk: Buffer | null = stream.read();
      if (chunk === null) return;
      this.#take(this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]));
    }
  };

  /** Messages of a chunk: payloads are moved together over their headers, in the chunk itself, and pushed as one. */
  #take(chunk: Buffer): void {
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
        this.#giveBack(chunk, filled, from, kind === COPY_DONE);
        return;
      }
      if (end > chunk.length) break;
      if (kind === DATA_ROW) this.#readState(chunk, body);
      from = end;
    }
    if (from < chunk.length) this.#unread = Buffer.from(chunk.subarray(from));
    this.#deliver(chunk, filled);
  }

  #deliver(chunk: Buffer, filled: number): void {
    if (filled > 0 && !this.destroyed) this.#wanted = this.push(chunk.subarray(0, filled));
  }

  /** One column: two bytes count, four bytes length, the text. */
  #readState(chunk: Buffer, body: number): void {
    const start = body + 6;
    this.#stateIsKnown = true;
    this.#settleState.resolve(chunk.toString('utf8', start, start + chunk.readInt32BE(body + 2)));
  }

  /** The driver goes on with the rest: the end of the transaction, or the error. */
  #giveBack(chunk: Buffer, filled: number, from: number, complete: boolean): void {
    const { stream } = this.#connection ?? {};
    const parser = this.#parser;
    if (stream === undefined || parser === null) return;
    this.#parser = null;
    stream.removeListener('readable', this.#pump);
    stream.on('data', parser);
    const rest = Buffer.from(chunk.subarray(from));
    this.#deliver(chunk, filled);
    if (complete && !this.destroyed) this.push(null);
    parser(rest);
    process.nextTick(() => stream.resume());
  }

  handleError(error: Error): void {
    this.#settleState.reject(error);
    this.destroy(error);
    this.#finish();
  }

  handleCommandComplete(message: { readonly text?: string }): void {
    const count = /^COPY (\d+)/.exec(message.text ?? '')?.[1];
    if (count !== undefined) this.rowCount = Number(count);
  }

  handleReadyForQuery(): void {
    this.#settleState.reject(new Error('The server ended the exchange without telling the state.'));
    this.#finish();
  }

  // answers to the statements before the COPY that the driver may still see
  handleRowDescription(): void {}
  handleDataRow(): void {}
}
