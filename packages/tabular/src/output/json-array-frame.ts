const LF = 0x0a;
const COMMA = 0x2c;
const SPACE = 0x20;
const OPEN = Buffer.from('[');
const EMPTY = Buffer.from('[]\n');
const CLOSE = Buffer.from(']\n');

/** Makes a document of lines that come in chunks. */
export interface RowFrame {
  push(chunk: Buffer): Buffer;
  /** What comes behind the last chunk; may be empty. */
  end(): Buffer;
}

/**
 * Turns rows, one JSON text per line ended by LF, into a JSON array: the first row after `[`, each further one on a line of its own
 * after one blank, then `]` and LF; `[]` and LF when there are none (spec/catalog-data.md 4.2). Takes bytes in chunks cut
 * anywhere. Rows must hold no raw line feed. For a JSON stream no frame is needed: the rows are the answer.
 */
export function jsonArrayFrame(): RowFrame {
  let open = false;
  // a line feed is a comma or the end, which only the next byte tells
  let rowEnded = false;
  return {
    push: (chunk) => {
      if (chunk.length === 0) return chunk;
      const out = Buffer.allocUnsafe(chunk.length + 2 * countLineFeeds(chunk) + 4);
      let to = 0;
      if (!open) {
        open = true;
        to += OPEN.copy(out);
      }
      if (rowEnded) to = separate(out, to);
      const endsRow = chunk[chunk.length - 1] === LF;
      const end = endsRow ? chunk.length - 1 : chunk.length;
      // byte by byte: rows are short, and a native copy for each costs more than their bytes
      for (let from = 0; from < end; from += 1) {
        const byte = chunk[from] ?? 0;
        if (byte === LF) to = separate(out, to);
        else {
          out[to] = byte;
          to += 1;
        }
      }
      rowEnded = endsRow;
      return out.subarray(0, to);
    },
    end: () => (open ? CLOSE : EMPTY),
  };
}

function separate(out: Buffer, at: number): number {
  out[at] = COMMA;
  out[at + 1] = LF;
  out[at + 2] = SPACE;
  return at + 3;
}

function countLineFeeds(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) count += 1;
  return count;
}
