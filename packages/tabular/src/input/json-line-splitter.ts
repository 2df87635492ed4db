import type { InputPosition } from '../tabular-error.js';
import { type JsonRowSink, type JsonRowSplitter, type JsonSplitOptions, RowAssembler } from './json-row-splitter.js';

/** Cuts a JSON stream into its lines. LF or CRLF ends a line, blank lines do not count (spec/catalog-data.md 4.5). */
export class JsonLineSplitter implements JsonRowSplitter {
  readonly #rows: RowAssembler;

  constructor(sink: JsonRowSink, options: JsonSplitOptions) {
    this.#rows = new RowAssembler(sink, options);
  }

  get position(): InputPosition {
    return this.#rows.position;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.#rows.finish(chunk, from, at);
      this.#rows.line += 1;
      from = at + 1;
    }
    this.#rows.keep(chunk, from, chunk.length);
  }

  end(): void {
    if (!this.#rows.empty) this.#rows.finish(NOTHING, 0, 0);
  }
}

const LF = 0x0a;
const NOTHING = Buffer.alloc(0);
